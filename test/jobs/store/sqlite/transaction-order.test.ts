import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { forJob, forOwner, forRequests } from '../../../../src/jobs/store/sql.js';
import { createTransactionQueue } from '../../../../src/jobs/store/sqlite/sqlite.js';
import { openSqliteStore } from '../../../../src/jobs/store/sqlite/sqlite-store.js';
import type { JobStore } from '../../../../src/jobs/store/store.js';
import { queueJobs, uuid } from '../../../contract/store/store-lab.js';

let home: string;
let store: JobStore;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'mailvet-turns-'));
  store = await openSqliteStore(join(home, 'store.db'));
});
afterEach(async () => {
  await store.close();
  rmSync(home, { recursive: true, force: true });
});

test('a long list of jobs is paged without a lost or doubled job', async () => {
  await queueJobs(store, 'a', 1, 230);
  const { jobs, total } = await store.listJobs('a', { skip: 5, limit: 1_000 });
  expect(jobs.map(({ id }) => id)).toEqual(Array.from({ length: 225 }, (_, at) => uuid(225 - at)));
  expect(total).toBe(230);
  expect((await store.listJobs('a', { skip: 0, limit: 150 })).jobs).toHaveLength(150);
});

test('transactions run by priority: those that start a request, then reads of owners, then writes of jobs', async () => {
  const next = createTransactionQueue();
  const done: string[] = [];
  const run = async (name: string, share: Parameters<typeof next>[0]): Promise<void> => {
    const end = await next(share);
    done.push(name);
    end();
  };
  await Promise.all([
    run('job 1', forJob('x')),
    run('job 2', forJob('x')),
    run('a', forOwner('a')),
    run('a again', forOwner('a')),
    run('b', forOwner('b')),
    run('key', forRequests),
  ]);
  expect(done).toEqual(['key', 'a', 'b', 'a again', 'job 1', 'job 2']);
});
