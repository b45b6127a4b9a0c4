/** An address that events are sent to. Times are in ms since 1970. */
export interface WebhookRecord {
  id: string;
  /** The administrators, who receive the events of all lists and keys, or a member, who receives their own. */
  owner: string;
  url: string;
  events: readonly string[];
  /** Signs deliveries, so it cannot be a hash. */
  secret: string;
  /** Valid until `oldSecretUntil`, so that a receiver has time to change. */
  oldSecret: string | null;
  oldSecretUntil: number | null;
  createdAt: number;
  /** The owner of the session that created it. */
  createdBy: string;
}

export type DeliveryState = 'pending' | 'delivered' | 'failed';

/** One event for one webhook. */
export interface DeliveryRecord {
  /** The same for the same event and webhook, so that it is added once. */
  id: string;
  webhookId: string;
  event: string;
  payload: string;
  createdAt: number;
  state: DeliveryState;
  attempts: number;
  /** When it is due. */
  nextAt: number;
  /** The HTTP status of the last attempt; null without a response. */
  lastStatus: number | null;
  lastError: string | null;
}

/** The outcome of an attempt; `nextAt` null: it is not tried again. */
interface DeliveryAttempt {
  id: string;
  state: DeliveryState;
  nextAt: number | null;
  status: number | null;
  error: string | null;
}

/** A job that has ended, for an event. */
export interface EndedJob {
  id: string;
  owner: string;
  filename: string;
  state: 'completed' | 'failed';
  finishedAt: number;
  total: number;
  valid: number;
  invalid: number;
  risky: number;
  unknown: number;
  duplicate: number;
}

export const maxWebhooks = 200;
export const maxWebhooksOfOwner = 20;

/** The limit of one call of `jobsEndedSince`. */
export const maxEndedJobs = 1_000;

export interface WebhookStore {
  /** False if there are `maxWebhooks`, or the owner has `maxWebhooksOfOwner`. */
  addWebhook(webhook: WebhookRecord): Promise<boolean>;
  /** The webhooks of one owner or of all (null), oldest first. */
  listWebhooks(owner: string | null): Promise<WebhookRecord[]>;
  /** Deletes the webhook and its deliveries. */
  removeWebhook(id: string): Promise<boolean>;
  /** Keeps the old secret until `oldUntil`. */
  rotateWebhook(id: string, secret: string, oldUntil: number): Promise<WebhookRecord | null>;
  /** Adds deliveries; existing ones do not change. */
  addDeliveries(deliveries: readonly DeliveryRecord[]): Promise<void>;
  /** The newest delivery that was tried. */
  lastDelivery(webhookId: string): Promise<DeliveryRecord | null>;
  /**
   * Returns due deliveries, oldest first, at most two of a webhook and none of `busyWebhooks`, and hides them from
   * others until the lease ends.
   */
  claimDeliveries(
    now: number,
    leaseUntil: number,
    limit: number,
    busyWebhooks?: readonly string[],
  ): Promise<DeliveryRecord[]>;
  recordAttempt(attempt: DeliveryAttempt): Promise<void>;
  /** Deletes ended and old deliveries, and the oldest beyond `maxEntries`. */
  pruneDeliveries(before: number, maxEntries: number): Promise<number>;
  /** The jobs that ended after that time, oldest first, at most `maxEndedJobs`. */
  jobsEndedSince(finishedAfter: number): Promise<EndedJob[]>;
}
