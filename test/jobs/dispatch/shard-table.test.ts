import { expect, test } from 'vitest';
import { ShardTable } from '../../../src/jobs/dispatch/shard-table.js';
import type { Database } from '../../../src/jobs/store/postgres/database.js';

const fakeSql = {
  all: async () => [{ lane: '7', predecessor: 'w1' }],
  run: async () => 0,
  get: async () => null,
};

test('a takeover is reported once, even if the transaction was repeated', async () => {
  const database = {
    writeRepeatable: async (work: (sql: unknown) => unknown) => {
      await work(fakeSql);
      return work(fakeSql);
    },
  } as unknown as Database;
  const notes: string[] = [];
  const table = new ShardTable(database, { id: 'w2', name: 'two' }, (note) => notes.push(note));
  await table.acquire(['7'], 1_000);
  await table.acquire(['7'], 1_000);
  expect(notes).toEqual(['Shards of mail hosts are taken over from a process that is gone and sends no heartbeat.']);
});
