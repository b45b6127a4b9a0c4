import { adminOwner } from '../../jobs/store/sessions.js';
import type { JobStore } from '../../jobs/store/store.js';
import { type DeliveryRecord, maxEndedJobs, type WebhookRecord } from '../../jobs/store/webhooks.js';
import { Networks } from '../../net/ip-range.js';
import { createWebhookSender, privateAddressReason, type SendOutcome, type SendWebhook } from './send-webhook.js';
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
const batchSize = 10;
/** Attempts at a time, and of one owner before others go first: slow receivers must not delay those of others. */
const maxInFlight = 50;
const ownerShare = 10;
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
type WebhookQueue = ReturnType<typeof createWebhookQueue>;
/** The webhooks of a process. `wake` is called when one was added. */
export type Webhooks = Pick<WebhookQueue, 'wake' | 'close'>;

const searchIntervalMs = 5_000;
const pruneIntervalMs = hourMs;

/**
 * Delivers events until it is closed. `networks` have private addresses that webhooks may be sent to; null: another
 * process knows them.
 */
export function openWebhooks(
  store: JobStore,
  networks: readonly string[] | null,
  onError: (error: unknown) => void,
): Webhooks {
  const sendAllowed = createWebhookSender(new Networks(networks ?? []));
  const send: SendWebhook = async (...message) => {
    const outcome = await sendAllowed(...message);
    return { ...outcome, isLeftToOthers: networks === null && outcome.error === privateAddressReason };
  };
  const queue = createWebhookQueue({ store, send, onError });
  const prune = (): void => void queue.prune().catch(onError);
  prune();
  void queue.run();
  const timers = [
    setInterval(() => void queue.run(), searchIntervalMs).unref(),
    setInterval(prune, pruneIntervalMs).unref(),
  ];
  return {
    wake: queue.wake,
    close: () => {
      for (const timer of timers) clearInterval(timer);
      return queue.close();
    },
  };
}

export function createWebhookQueue({ store, send, onError, now = Date.now, random = Math.random }: QueueOptions) {
  let running: Promise<void> | null = null;
  let webhooksById: ReadonlyMap<string, WebhookRecord> = new Map();
  const inFlight = new Map<Promise<void>, DeliveryRecord>();
  let starting: Promise<void> | null = null;
  let isStartWanted = false;
  let seenUntil = 0;
  let idleUntil = 0;
  let isClosed = false;
  /** Webhooks whose private addresses only another process may contact. */
  const leftToOthers = new Set<string>();

  const readWebhooks = async (): Promise<readonly WebhookRecord[]> => {
    const webhooks = await store.listWebhooks(null);
    webhooksById = new Map(webhooks.map((webhook) => [webhook.id, webhook]));
    for (const id of leftToOthers) if (!webhooksById.has(id)) leftToOthers.delete(id);
    return webhooks;
  };
  const deliver = async (delivery: DeliveryRecord): Promise<void> => {
    // A webhook that was added meanwhile.
    if (!webhooksById.has(delivery.webhookId)) await readWebhooks();
    const webhook = webhooksById.get(delivery.webhookId);
    if (webhook === undefined) return;
    const outcome = await send(webhook, delivery, now());
    if (outcome.isLeftToOthers === true) leftToOthers.add(webhook.id);
    else await store.recordAttempt({ id: delivery.id, ...nextState(delivery, outcome, now(), random()) });
  };
  /** Adds the deliveries of events since the last search, with some overlap. */
  const findEvents = async (webhooks: readonly WebhookRecord[]): Promise<void> => {
    const time = now();
    for (let cursor = Math.max(seenUntil - overlapMs, time - lookBackMs), isDone = false; !isDone; ) {
      const jobs = await store.jobsEndedSince(cursor);
      const needsKeys = jobs.length > 0 && webhooks.some(({ owner }) => owner !== adminOwner);
      const keys = needsKeys ? await store.listKeys() : [];
      await store.addDeliveries(deliveriesFor(webhooks, { jobs, keys, now: time }));
      const last = jobs.at(-1);
      isDone = last === undefined || jobs.length < maxEndedJobs;
      if (last !== undefined) cursor = last.finishedAt;
    }
    seenUntil = time;
  };
  /** Webhooks with an attempt in progress, and all webhooks of an owner who has many. */
  const busyWebhooks = (): string[] => {
    const attempts = new Map<string, number>();
    const busy = new Set<string>(leftToOthers);
    for (const { webhookId } of inFlight.values()) {
      busy.add(webhookId);
      const owner = webhooksById.get(webhookId)?.owner;
      if (owner !== undefined) attempts.set(owner, (attempts.get(owner) ?? 0) + 1);
    }
    for (const { id, owner } of webhooksById.values()) if ((attempts.get(owner) ?? 0) >= ownerShare) busy.add(id);
    return [...busy];
  };
  /** Starts attempts until nothing is due or all slots are taken; does not wait for them. */
  const startAttempts = async (): Promise<void> => {
    while (!isClosed && inFlight.size < maxInFlight) {
      const due = await store.claimDeliveries(now(), now() + leaseMs, batchSize, busyWebhooks());
      if (due.length === 0) return;
      for (const delivery of due) {
        const attempt: Promise<void> = deliver(delivery)
          .catch(onError)
          .finally(() => {
            inFlight.delete(attempt);
            startDue();
          });
        inFlight.set(attempt, delivery);
      }
    }
  };
  const startUntilDone = async (): Promise<void> => {
    while (isStartWanted) {
      isStartWanted = false;
      await startAttempts().catch(onError);
    }
    starting = null;
  };
  /** Starts due deliveries. A call while it runs makes it search once more. */
  const startDue = (): void => {
    isStartWanted = true;
    starting ??= startUntilDone();
  };
  const runOnce = async (): Promise<void> => {
    const webhooks = await readWebhooks();
    idleUntil = webhooks.length === 0 ? now() + minuteMs : 0;
    if (webhooks.length === 0) return;
    await findEvents(webhooks);
    startDue();
  };
  const queue = {
    /** Finds what is due and starts to deliver it; calls while it runs share the run. Never rejects. */
    run: (): Promise<void> => {
      // Without webhooks, the store is polled once a minute.
      if (isClosed || now() < idleUntil) return Promise.resolve();
      running ??= runOnce()
        .catch(onError)
        .finally(() => {
          running = null;
        });
      return running;
    },
    /** Called when a webhook was added. */
    wake: (): void => {
      idleUntil = 0;
      void queue.run();
    },
    prune: async () => {
      await store.pruneDeliveries(now() - keptMs, maxDeliveries);
    },
    /** Waits for attempts in progress; the others stay due. */
    close: async () => {
      isClosed = true;
      await running;
      await starting;
      await Promise.all(inFlight.keys());
    },
  };
  return queue;
}

/** The state after an attempt: delivered, waiting for the next retry, or failed. HTTP 410 means that the receiver is gone. */
function nextState({ attempts }: DeliveryRecord, { status, error }: SendOutcome, now: number, random: number) {
  if (error === null) return { state: 'delivered' as const, nextAt: null, status, error };
  const delayMs = status === 410 ? undefined : retryDelaysMs[attempts];
  if (delayMs === undefined) return { state: 'failed' as const, nextAt: null, status, error };
  const jitter = 1 + (2 * random - 1) * jitterShare;
  return { state: 'pending' as const, nextAt: now + Math.round(delayMs * jitter), status, error };
}
