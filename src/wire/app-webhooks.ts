/** Events that a webhook can subscribe to. */
export const webhookEvents = ['job.completed', 'job.failed'] as const;

export interface WebhookView {
  id: string;
  url: string;
  events: string[];
  created_at: string;
  /** The old secret is valid until then; null without one. */
  old_secret_until: string | null;
  /** The newest delivery that was tried; null without one. */
  last_delivery: { state: 'pending' | 'delivered' | 'failed'; error: string | null; at: string } | null;
}

export interface NewWebhook {
  url: string;
  events: string[];
}

/** With the secret, which is never shown again. */
export interface CreatedWebhook {
  webhook: WebhookView;
  secret: string;
}
