import { adminOwner } from '../../jobs/store/sessions.js';
import type { JobStore } from '../../jobs/store/store.js';
import { type DeliveryRecord, maxEndedJobs, type WebhookRecord } from '../../jobs/store/webhooks.js';
import type { SendOutcome, SendWebhook } from './send-webhook.js';
import { deliveriesFor } from './webhook-events.js';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** The delay before each retry; they sum up to a day. */
const retryDelaysMs = [5 * secondMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 5 * hourMs, 7 * hourMs, 9 * hourMs];
const jitterShare = 0.2;
/** Longer than an attempt takes, so that no other process sends it meanwhile. */
const leaseMs = 60 * secondMs;
/** At most two of a webhook are in a batch, so that a slow receiver delays others by one attempt. */
const batchSize = 10;
const maxRunMs = 30 * secondMs;
/** Ended jobs are searched this far back, so that a restart misses none. */
const lookBackMs = dayMs;
/** Commits of other processes may appear late, and clocks differ. */
const overlapMs = 10 * minuteMs;
const keptMs = 30 * dayMs;
const maxDeliveries = 100_000;

interface QueueOptions {
  store: JobStore;
  send: SendWebhook;
  onError(error: unknown): void;
  now?(): number;
  random?(): number;
}

/** Finds events and delivers them, at least once each. Several processes may run it on one store. */
export type WebhookQueue = ReturnType<typeof createWebhookQueue>;

export function createWebhookQueue({ store, send, onError, now = Date.now, random = Math.random }: QueueOptions) {
  let running: Promise<void> | null = null;
  let seenUntil = 0;
  let nextKeyLookAt = 0;
  let idleUntil = 0;
  let isClosed = false;

  const deliver = async (delivery: DeliveryRecord, webhooks: ReadonlyMap<string, Parameters<SendWebhook>[0]>) => {
    const webhook = webhooks.get(delivery.webhookId);
    if (webhook === undefined) return;
    const outcome = await send(webhook, delivery, now());
    await store.recordAttempt({ id: delivery.id, ...nextState(delivery, outcome, now(), random()) });
  };
  /** Adds the deliveries of events since the last search, with some overlap. */
  const findEvents = async (webhooks: readonly WebhookRecord[]): Promise<void> => {
    const at = now();
    for (let cursor = Math.max(seenUntil - overlapMs, at - lookBackMs), isDone = false; !isDone; ) {
      const jobs = await store.jobsEndedSince(cursor);
      const isKeyLookDue = at >= nextKeyLookAt;
      const needsKeys = isKeyLookDue || (jobs.length > 0 && webhooks.some(({ owner }) => owner !== adminOwner));
      const keys = needsKeys ? await store.listKeys() : [];
      if (isKeyLookDue) nextKeyLookAt = at + hourMs;
      await store.addDeliveries(deliveriesFor(webhooks, { jobs, keys, now: at }));
      const last = jobs.at(-1);
      isDone = last === undefined || jobs.length < maxEndedJobs;
      if (last !== undefined) cursor = last.finishedAt;
    }
    seenUntil = at;
  };
  const runOnce = async (): Promise<void> => {
    const webhooks = await store.listWebhooks(null);
    idleUntil = webhooks.length === 0 ? now() + minuteMs : 0;
    if (webhooks.length === 0) return;
    await findEvents(webhooks);
    const byId = new Map(webhooks.map((webhook) => [webhook.id, webhook]));
    const startedAt = now();
    // New events are looked for after a while, however many deliveries are due.
    while (!isClosed && now() - startedAt < maxRunMs) {
      const due = await store.claimDeliveries(now(), now() + leaseMs, batchSize);
      if (due.length === 0) return;
      await Promise.all(due.map((delivery) => deliver(delivery, byId)));
    }
  };
  const self = {
    /** Finds and delivers what is due; calls while it runs share the run. Never rejects. */
    run: (): Promise<void> => {
      // Without webhooks the store is asked once a minute.
      if (isClosed || now() < idleUntil) return Promise.resolve();
      running ??= runOnce()
        .catch(onError)
        .finally(() => {
          running = null;
        });
      return running;
    },
    /** Called when a webhook was added or has a delivery. */
    wake: (): void => {
      idleUntil = 0;
      void self.run();
    },
    prune: async () => {
      await store.pruneDeliveries(now() - keptMs, maxDeliveries);
    },
    /** Waits for attempts in progress; the others stay due. */
    close: async () => {
      isClosed = true;
      await running;
    },
  };
  return self;
}

/** The state after an attempt: delivered, waiting for the next retry, or failed. HTTP 410 means that the receiver is gone. */
function nextState({ attempts }: DeliveryRecord, { status, error }: SendOutcome, now: number, random: number) {
  if (error === null) return { state: 'delivered' as const, nextAt: null, status, error };
  const delayMs = status === 410 ? undefined : retryDelaysMs[attempts];
  if (delayMs === undefined) return { state: 'failed' as const, nextAt: null, status, error };
  const jitter = 1 + (2 * random - 1) * jitterShare;
  return { state: 'pending' as const, nextAt: now + Math.round(delayMs * jitter), status, error };
}
