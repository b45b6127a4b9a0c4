import { expect, test } from 'vitest';
import { type ProbeRow, RequestTable } from '../../../src/jobs/dispatch/request-table.js';
import type { Database } from '../../../src/jobs/store/postgres/database.js';

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
