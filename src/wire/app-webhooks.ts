/** Events that a webhook can subscribe to. */
export const webhookEvents = ['job.completed', 'job.failed', 'credits.low', 'key.expiring'] as const;

/** `webhook.test` is sent by the button of the page only. */
export type WebhookEvent = (typeof webhookEvents)[number] | 'webhook.test';

export interface WebhookView {
  id: string;
  url: string;
  events: string[];
  created_at: string;
  /** The old secret is valid until then; null without one. */
  old_secret_until: string | null;
  /** The newest delivery that was tried; null without one. */
  last_delivery: Pick<DeliveryView, 'state' | 'error'> | null;
  /** Deliveries of the last day whose last attempt failed. */
  failing_count: number;
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

export interface DeliveryView {
  id: string;
  event: string;
  state: 'pending' | 'delivered' | 'failed';
  attempts: number;
  created_at: string;
  /** The time of the next attempt; null if there is none. */
  next_at: string | null;
  /** The error of the last attempt. */
  error: string | null;
  payload: string;
}
