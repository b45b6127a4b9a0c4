import { afterEach, expect, test, vi } from 'vitest';
import { ShardWorker } from '../../../src/jobs/dispatch/shard-worker.js';
import { databaseFailure, isRetryable } from '../../../src/jobs/store/postgres/database-failure.js';

afterEach(() => void vi.useRealTimers());

type Options = ConstructorParameters<typeof ShardWorker>[0];

function startWorker(database: object, onError: Options['onError'] = () => {}) {
  const served: Promise<void>[] = [];
  let serve: (shard: string) => Promise<void> = async () => {};
  const options = {
    cluster: {
      database: { isRetryable, ...database },
      heartbeat: { name: 'w', id: 'n', publish: async () => {} },
      listener: { subscribe: () => {} },
    },
    queue: {
      serve: (handle: typeof serve) => {
        serve = handle;
        // BullMQ waits for its open jobs.
        return { stop: () => Promise.all(served), limit: () => {} };
      },
    },
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
    onError,
  };
  const worker = new ShardWorker(options as unknown as Options);
  return { worker, serve: (shard: string) => void served.push(serve(shard)) };
}

const error = (code: string) => Object.assign(new Error('no such column'), { code });

test.each([
  { name: 'an internal error is reported once', thrown: error('42703'), want: 1 },
  { name: 'a lost connection is reported by the store', thrown: error('ECONNREFUSED'), want: 0 },
])('$name', async ({ thrown, want }) => {
  vi.useFakeTimers();
  const fail = () => Promise.reject(databaseFailure(thrown, 'jobs'));
  const reported: unknown[] = [];
  const database = { read: fail, write: fail, writeRepeatable: fail, runRepeatable: fail };
  const { worker } = startWorker(database, (failure) => void reported.push(failure));
  await vi.advanceTimersByTimeAsync(10_000);
  const stopped = worker.stop();
  await vi.advanceTimersByTimeAsync(20_000);
  await stopped;
  expect(reported).toHaveLength(want);
});

test('a shard that is acquired while the worker stops is released soon', async () => {
  vi.useFakeTimers();
  const released: string[] = [];
  const database = {
    read: async () => [],
    write: async () => [],
    writeRepeatable: () => new Promise((resolve) => setTimeout(() => resolve({ acquired: ['7'], notes: [] }), 1_000)),
    runRepeatable: async (run: (sql: object) => unknown) =>
      run({ allPrepared: async (_query: string, shards: string[]) => void released.push(...shards) }),
  };
  const { worker, serve } = startWorker(database);
  serve('7');
  let isStopped = false;
  void worker.stop().then(() => (isStopped = true));
  await vi.advanceTimersByTimeAsync(3_000);
  expect({ released, isStopped }).toEqual({ released: ['7'], isStopped: true });
});
