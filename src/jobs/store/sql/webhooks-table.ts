import { readJson, readNumber, readNumberOrNull, readText, readTextOrNull, type StoredRow } from '../records.js';
import {
  type DeliveryRecord,
  type DeliveryState,
  type EndedJob,
  maxEndedJobs,
  maxWebhooks,
  maxWebhooksOfOwner,
  type WebhookRecord,
  type WebhookStore,
} from '../webhooks.js';
import { all, get, inList, listValue, run, type SqlBackend } from './steps.js';

/** The maximum number of concurrent deliveries to one webhook. */
const maxClaimed = 2;

export function webhooksTable(backend: SqlBackend): WebhookStore {
  return {
    addWebhook: ({ id, owner, url, events, secret, createdAt, createdBy }) =>
      backend.write(function* () {
        const total = yield* get('SELECT count(*) AS n FROM webhooks');
        const owned = yield* get('SELECT count(*) AS n FROM webhooks WHERE owner = ?', owner);
        const isFull =
          readNumber(total ?? {}, 'n') >= maxWebhooks || readNumber(owned ?? {}, 'n') >= maxWebhooksOfOwner;
        if (isFull) return false;
        const add = `INSERT INTO webhooks (id, owner, url, events, secret, created_at, created_by)
          VALUES (?, ?, ?, ?, ?, ?, ?)`;
        yield* run(add, id, owner, url, JSON.stringify(events), secret, createdAt, createdBy);
        return true;
      }),
    listWebhooks: async (owner) => {
      const rows = await backend.read(() =>
        owner === null
          ? all('SELECT * FROM webhooks ORDER BY created_at, id')
          : all('SELECT * FROM webhooks WHERE owner = ? ORDER BY created_at, id', owner),
      );
      return rows.map(readWebhook);
    },
    removeWebhook: (id) =>
      backend.write(function* () {
        yield* run('DELETE FROM deliveries WHERE webhook = ?', id);
        return (yield* run('DELETE FROM webhooks WHERE id = ?', id)) > 0;
      }),
    rotateWebhook: (id, secret, oldUntil) =>
      backend.write(function* () {
        const rotate = `UPDATE webhooks SET old_secret = secret, old_secret_until = ?, secret = ? WHERE id = ? RETURNING *`;
        const row = yield* get(rotate, oldUntil, secret, id);
        return row === null ? null : readWebhook(row);
      }),
    addDeliveries: async (deliveries) => {
      // Most are known: reading first avoids a write.
      const find = `SELECT id FROM deliveries WHERE id ${inList}`;
      const rows = await backend.read(() => all(find, listValue(deliveries.map(({ id }) => id))));
      const known = new Set(rows.map((row) => readText(row, 'id')));
      const added = deliveries.filter(({ id }) => !known.has(id));
      if (added.length === 0) return;
      await backend.writeRepeatable(function* () {
        const add = `INSERT INTO deliveries (id, webhook, event, payload, created_at, state, attempts, next_at)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
        for (const { id, webhookId, event, payload, createdAt, state, attempts, nextAt } of added)
          yield* run(add, id, webhookId, event, payload, createdAt, state, attempts, nextAt);
      });
    },
    lastDelivery: async (webhookId) => {
      const find = 'SELECT * FROM deliveries WHERE webhook = ? AND attempts > 0 ORDER BY created_at DESC, id LIMIT 1';
      const row = await backend.read(() => get(find, webhookId));
      return row === null ? null : readDelivery(row);
    },
    claimDeliveries: async (now, leaseUntil, limit, busyWebhooks = []) => {
      // The conditions are repeated: another process may have claimed a row meanwhile.
      const isDue = `state = 'pending' AND next_at <= ? AND lease_until <= ? AND NOT (webhook ${inList})`;
      const due = [now, now, listValue(busyWebhooks)] as const;
      const claim = `UPDATE deliveries SET lease_until = ? WHERE ${isDue} AND id IN
        (SELECT id FROM (SELECT id, created_at, row_number() OVER (PARTITION BY webhook ORDER BY created_at, id) AS nth
          FROM deliveries WHERE ${isDue}) AS due WHERE nth <= ${maxClaimed} ORDER BY created_at, id LIMIT ?) RETURNING *`;
      const find = `SELECT id FROM deliveries WHERE ${isDue} LIMIT 1`;
      if ((await backend.read(() => get(find, ...due))) === null) return [];
      const rows = await backend.write(() => all(claim, leaseUntil, ...due, ...due, limit));
      return rows.map(readDelivery).sort((one, other) => one.createdAt - other.createdAt);
    },
    recordAttempt: async ({ id, state, nextAt, status, error }) => {
      const record = `UPDATE deliveries SET state = ?, next_at = coalesce(?, next_at), last_status = ?, last_error = ?,
        attempts = attempts + 1, lease_until = 0 WHERE id = ?`;
      await backend.write(() => run(record, state, nextAt, status, error, id));
    },
    pruneDeliveries: (before, maxEntries) =>
      backend.writeRepeatable(() =>
        run(
          `DELETE FROM deliveries WHERE created_at < ? OR created_at <
            (SELECT created_at FROM deliveries ORDER BY created_at DESC LIMIT 1 OFFSET ?)`,
          before,
          maxEntries,
        ),
      ),
    jobsEndedSince: async (finishedAfter) => {
      const list = `SELECT group_id AS id, min(owner) AS owner, min(filename) AS filename, max(finished_at) AS finished_at,
          CASE WHEN count(CASE WHEN state = 'failed' THEN 1 END) > 0 THEN 'failed' ELSE 'completed' END AS state,
          sum(total) AS total, sum(valid) AS valid, sum(invalid) AS invalid, sum(risky) AS risky,
          sum(unknown) AS unknown, sum(duplicate) AS duplicate
        FROM jobs
        WHERE group_id IN (SELECT group_id FROM jobs WHERE finished_at > ? AND state IN ('completed', 'failed'))
        GROUP BY group_id
        HAVING count(CASE WHEN state IN ('completed', 'failed') THEN 1 END) = count(*)
        ORDER BY max(finished_at), min(num) LIMIT ?`;
      return (await backend.read(() => all(list, finishedAfter, maxEndedJobs))).map(readEndedJob);
    },
  };
}

function readWebhook(row: StoredRow): WebhookRecord {
  return {
    id: readText(row, 'id'),
    owner: readText(row, 'owner'),
    url: readText(row, 'url'),
    events: readJson<string[]>(row, 'events'),
    secret: readText(row, 'secret'),
    oldSecret: readTextOrNull(row, 'old_secret'),
    oldSecretUntil: readNumberOrNull(row, 'old_secret_until'),
    createdAt: readNumber(row, 'created_at'),
    createdBy: readText(row, 'created_by'),
  };
}

function readDelivery(row: StoredRow): DeliveryRecord {
  return {
    id: readText(row, 'id'),
    webhookId: readText(row, 'webhook'),
    event: readText(row, 'event'),
    payload: readText(row, 'payload'),
    createdAt: readNumber(row, 'created_at'),
    state: readText(row, 'state') as DeliveryState,
    attempts: readNumber(row, 'attempts'),
    nextAt: readNumber(row, 'next_at'),
    lastStatus: readNumberOrNull(row, 'last_status'),
    lastError: readTextOrNull(row, 'last_error'),
  };
}

function readEndedJob(row: StoredRow): EndedJob {
  return {
    id: readText(row, 'id'),
    owner: readText(row, 'owner'),
    filename: readText(row, 'filename'),
    state: readText(row, 'state') as EndedJob['state'],
    finishedAt: readNumber(row, 'finished_at'),
    total: readNumber(row, 'total'),
    valid: readNumber(row, 'valid'),
    invalid: readNumber(row, 'invalid'),
    risky: readNumber(row, 'risky'),
    unknown: readNumber(row, 'unknown'),
    duplicate: readNumber(row, 'duplicate'),
  };
}
