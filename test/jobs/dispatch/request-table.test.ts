import { expect, test } from 'vitest';
import type { ShardQueue } from '../../../src/jobs/dispatch/bullmq-queue.js';
import { PendingProbes } from '../../../src/jobs/dispatch/pending-probes.js';
import { type ProbeRow, RequestTable } from '../../../src/jobs/dispatch/request-table.js';
import type { Database } from '../../../src/jobs/store/postgres/database.js';
import type { Cluster } from '../../../src/jobs/store/postgres/postgres-store.js';

const row = (mailbox: string, rank: number): ProbeRow => ({
  requester: 'job 1',
  mailbox,
  priority: 2,
  rank,
  shard: '7',
  rateLimitGroup: 'example.com',
  request: '{}',
  withinMs: null,
});

/** Refuses a key that is twice in one statement, as PostgreSQL does (21000, cardinality_violation). */
const fakeSql = {
  allPrepared: async (statement: string, _node: unknown, askers?: string[], places?: string[]) => {
    if (!statement.includes('INSERT')) return [];
    const keys = (places ?? []).map((place, index) => `${askers?.[index]} ${place}`);
    if (new Set(keys).size < keys.length) throw Object.assign(new Error('ON CONFLICT twice'), { code: '21000' });
    return (places ?? []).map((place, index) => ({ id: index + 1, asker: askers?.[index], place, answer: null }));
  },
  run: async () => 0,
};

test('a mailbox that is twice in a batch is inserted once, and both get its id', async () => {
  const database = { writeRepeatable: (work: (sql: unknown) => unknown) => work(fakeSql) } as unknown as Database;
  const rows = [row('a@example.com', 0), row('b@example.com', 1), row('a@example.com', 0)];
  const { stored } = await new RequestTable(database).insert('node', rows);
  expect(stored.map(({ id }) => id)).toEqual([1, 2, 1]);
});

test('a request of a user does not wait for the rows of a job that are being inserted', async () => {
  const database = {
    writeRepeatable: async (work: (sql: unknown) => unknown) =>
      work({
        ...fakeSql,
        allPrepared: (...args: Parameters<typeof fakeSql.allPrepared>) =>
          args[2]?.includes('job 1') ? new Promise(() => {}) : fakeSql.allPrepared(...args),
      }),
  };
  const cluster = { database, heartbeat: { id: 'node' }, listener: { subscribe: () => {} } } as unknown as Cluster;
  const queue = { wake: () => {} } as unknown as ShardQueue;
  const probes = new PendingProbes(cluster, queue, { names: [] });
  let hasInserted = false;
  void probes
    .add(row('a@example.com', 0), () => {})
    .then(() => {
      hasInserted = true;
    });
  // Longer than the rows of a job wait for others.
  await new Promise((resolve) => setTimeout(resolve, 150));
  const single = { ...row('b@example.com', 0), requester: 'single', priority: 0, withinMs: 5_000 };
  await probes.add(single, () => {});
  expect(probes.count()).toBe(1);
  expect(hasInserted).toBe(false);
  probes.close();
}, 5_000);

test('a probe whose row was deleted and inserted again can be canceled', async () => {
  const insertedIds: number[] = [];
  const sql = {
    ...fakeSql,
    allPrepared: async (statement: string, ..._values: unknown[]) => {
      if (!statement.includes('INSERT')) return [];
      insertedIds.push(insertedIds.length + 1);
      return [{ id: insertedIds.length, asker: 'job 1', place: 'a@example.com', answer: null }];
    },
  };
  const run = async (work: (sql: unknown) => unknown) => work(sql);
  let notify = (_message: string | null): void => {};
  const cluster = {
    database: { writeRepeatable: run, read: run, runRepeatable: run },
    heartbeat: { id: 'node' },
    listener: {
      subscribe: (_channel: string, handler: typeof notify) => {
        notify = handler;
      },
    },
  } as unknown as Cluster;
  const probes = new PendingProbes(cluster, { wake: () => {} } as unknown as ShardQueue, { names: [] });
  const cancel = await probes.add(row('a@example.com', 0), () => {});
  notify(null);
  await expect.poll(() => insertedIds).toEqual([1, 2]);
  await expect.poll(() => probes.count()).toBe(1);
  cancel();
  expect(probes.count()).toBe(0);
  probes.close();
});
