import { afterEach, expect, test, vi } from 'vitest';
import type { ShardQueue } from '../../../src/jobs/dispatch/bullmq-queue.js';
import { startSweeper } from '../../../src/jobs/dispatch/sweeper.js';
import { databaseFailure, isRetryable } from '../../../src/jobs/store/postgres/database-failure.js';
import type { Cluster } from '../../../src/jobs/store/postgres/postgres-store.js';

afterEach(() => void vi.useRealTimers());

const error = (code: string) => Object.assign(new Error('no such column'), { code });

test.each([
  { name: 'an internal error is reported once', thrown: error('42703'), want: 1 },
  { name: 'a lost connection is not reported here', thrown: error('ECONNREFUSED'), want: 0 },
  { name: 'a deadlock is not reported', thrown: error('40P01'), want: 0 },
])('$name', async ({ thrown, want }) => {
  vi.useFakeTimers();
  const database = { isRetryable, writeRepeatable: () => Promise.reject(databaseFailure(thrown, 'jobs')) };
  const cluster = { database, listener: { subscribe: () => {} } } as unknown as Cluster;
  const notes: string[] = [];
  const stop = startSweeper(cluster, {} as ShardQueue, (text) => void notes.push(text));
  await vi.advanceTimersByTimeAsync(10_000);
  stop();
  expect(notes).toHaveLength(want);
});
