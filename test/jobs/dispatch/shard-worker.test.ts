import { afterEach, expect, test, vi } from 'vitest';
import { ShardWorker } from '../../../src/jobs/dispatch/shard-worker.js';
import { databaseFailure, isRetryable } from '../../../src/jobs/store/postgres/database-failure.js';

afterEach(() => void vi.useRealTimers());

const error = (code: string) => Object.assign(new Error('no such column'), { code });

test.each([
  { name: 'an internal error is reported once', thrown: error('42703'), want: 1 },
  { name: 'a lost connection is reported by the store', thrown: error('ECONNREFUSED'), want: 0 },
])('$name', async ({ thrown, want }) => {
  vi.useFakeTimers();
  const fail = () => Promise.reject(databaseFailure(thrown, 'jobs'));
  const database = { isRetryable, read: fail, write: fail, writeRepeatable: fail, runRepeatable: fail };
  const reported: unknown[] = [];
  const options = {
    cluster: {
      database,
      heartbeat: { name: 'w', id: 'n', publish: async () => {} },
      listener: { subscribe: () => {} },
    },
    queue: { serve: () => ({ stop: async () => {}, limit: () => {} }) },
    registry: {
      names: ['w'],
      hasBusy: false,
      refusedBy: () => [],
      refusedOthers: () => [],
      hasAlternative: () => false,
      pollWhile: () => {},
    },
    prober: {},
    sessions: 10,
    onError: (failure: unknown) => void reported.push(failure),
  };
  const worker = new ShardWorker(options as unknown as ConstructorParameters<typeof ShardWorker>[0]);
  await vi.advanceTimersByTimeAsync(10_000);
  const stopped = worker.stop();
  await vi.advanceTimersByTimeAsync(20_000);
  await stopped;
  expect(reported).toHaveLength(want);
});
