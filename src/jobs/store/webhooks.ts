import type { CountWord } from '../../model/result.js';
import type { JobRecord } from './job-record.js';
import { all, get, inList, insert, listValue, run, type SqlBackend, type SqlValue, type Steps } from './sql.js';

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

type DeliveryState = 'pending' | 'delivered' | 'failed';

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
export type EndedJob = Pick<JobRecord, 'id' | 'owner' | 'filename' | 'total' | CountWord> & {
  state: 'completed' | 'failed';
  finishedAt: number;
};

const maxWebhooks = 200;
const maxWebhooksOfOwner = 20;

/** The maximum number of concurrent deliveries to one webhook. */
const maxClaimed = 2;

/** The limit of one call of `jobsEndedSince`. */
export const maxEndedJobs = 1_000;

export function webhooksTable({ read, write }: SqlBackend) {
  return {
    /** False if there are `maxWebhooks`, or the owner has `maxWebhooksOfOwner`. */
    addWebhook: (webhook: WebhookRecord) =>
      write(function* () {
        const owners = yield* all<{ owner: string }>('SELECT owner FROM webhooks');
        const owned = owners.filter(({ owner }) => owner === webhook.owner);
        if (owners.length >= maxWebhooks || owned.length >= maxWebhooksOfOwner) return false;
        yield* insert('webhooks', webhook);
        return true;
      }),
    /** The webhooks of one owner or of all (null), oldest first. */
    listWebhooks: (owner: string | null) => {
      const list = 'SELECT * FROM webhooks WHERE owner = coalesce(?, owner) ORDER BY created_at, id';
      return read(() => all<WebhookRecord>(list, owner));
    },
    /** Deletes the webhook and its deliveries. */
    removeWebhook: (id: string) => write(() => removeWebhooks('id = ?', id)),
    /** Keeps the old secret until `oldUntil`. */
    rotateWebhook: (id: string, secret: string, oldUntil: number) => {
      const rotate = `UPDATE webhooks SET old_secret = secret, old_secret_until = ?, secret = ? WHERE id = ? RETURNING *`;
      return write(() => get<WebhookRecord>(rotate, oldUntil, secret, id));
    },
    /** Adds deliveries; existing ones do not change. */
    addDeliveries: async (deliveries: readonly DeliveryRecord[]) => {
      // Most are known: reading first avoids a write.
      const find = `SELECT id FROM deliveries WHERE id ${inList}`;
      const rows = await read(() => all<{ id: string }>(find, listValue(deliveries.map(({ id }) => id))));
      const known = new Set(rows.map(({ id }) => id));
      const added = deliveries.filter(({ id }) => !known.has(id));
      if (added.length === 0) return;
      await write(function* () {
        for (const delivery of added) yield* insert('deliveries', delivery, 'ON CONFLICT DO NOTHING');
      });
    },
    /** The newest delivery that was tried. */
    lastDelivery: (webhookId: string) => {
      const find =
        'SELECT * FROM deliveries WHERE webhook_id = ? AND attempts > 0 ORDER BY created_at DESC, id LIMIT 1';
      return read(() => get<DeliveryRecord>(find, webhookId));
    },
    /**
     * Returns due deliveries, oldest first, at most two of a webhook and none of `busyWebhooks`, and hides them from
     * others until the lease ends.
     */
    claimDeliveries: async (now: number, leaseUntil: number, limit: number, busyWebhooks: readonly string[] = []) => {
      // The conditions are repeated: another process may have claimed a row meanwhile.
      const isDue = `state = 'pending' AND next_at <= ? AND lease_until <= ? AND NOT (webhook_id ${inList})`;
      const due = [now, now, listValue(busyWebhooks)] as const;
      const claim = `UPDATE deliveries SET lease_until = ? WHERE ${isDue} AND id IN
        (SELECT id FROM (SELECT id, created_at, row_number() OVER (PARTITION BY webhook_id ORDER BY created_at, id) AS nth
          FROM deliveries WHERE ${isDue}) AS due WHERE nth <= ${maxClaimed} ORDER BY created_at, id LIMIT ?) RETURNING *`;
      const find = `SELECT id FROM deliveries WHERE ${isDue} LIMIT 1`;
      if ((await read(() => get(find, ...due))) === null) return [];
      const claimed = await write(() => all<DeliveryRecord>(claim, leaseUntil, ...due, ...due, limit));
      return claimed.sort((one, other) => one.createdAt - other.createdAt);
    },
    recordAttempt: async ({ id, state, nextAt, status, error }: DeliveryAttempt) => {
      const record = `UPDATE deliveries SET state = ?, next_at = coalesce(?, next_at), last_status = ?, last_error = ?,
        attempts = attempts + 1, lease_until = 0 WHERE id = ?`;
      await write(() => run(record, state, nextAt, status, error, id));
    },
    /** Deletes ended and old deliveries, and the oldest beyond `maxEntries`. */
    pruneDeliveries: (before: number, maxEntries: number) => {
      const prune = `DELETE FROM deliveries WHERE created_at < ? OR created_at <
        (SELECT created_at FROM deliveries ORDER BY created_at DESC LIMIT 1 OFFSET ?)`;
      return write(() => run(prune, before, maxEntries));
    },
    /** The jobs that ended after that time, oldest first, at most `maxEndedJobs`. */
    jobsEndedSince: (finishedAfter: number) => {
      const list = `SELECT id, owner, filename, state, finished_at, total, valid, invalid, risky, unknown, duplicate FROM jobs
        WHERE finished_at > ? AND state IN ('completed', 'failed') ORDER BY finished_at, num LIMIT ?`;
      return read(() => all<EndedJob>(list, finishedAfter, maxEndedJobs));
    },
  };
}

/** Deletes webhooks with their deliveries. False if there are none. */
export function* removeWebhooks(where: string, ...values: SqlValue[]): Steps<boolean> {
  yield* run(`DELETE FROM deliveries WHERE webhook_id IN (SELECT id FROM webhooks WHERE ${where})`, ...values);
  return (yield* run(`DELETE FROM webhooks WHERE ${where}`, ...values)) > 0;
}
