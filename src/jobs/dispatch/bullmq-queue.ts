import { type BackendFactory, createPostgresBackend, type IQueueBackend, type PgPool, Queue, Worker } from 'bullmq';
import { sleep, systemClock } from '../../async/clock.js';
import { withTimeout } from '../../async/with-timeout.js';
import type { Database } from '../store/postgres/database.js';

const queueName = 'mailvet-lanes';
const workerOptions = {
  // A stalled job means that a worker died, however often that happens.
  maxStalledCount: 1_000_000_000,
  lockDuration: 10_000,
  stalledInterval: 5_000,
  // BullMQ waits this long after a lost connection, 15 s by default, and its timer keeps a closed process alive.
  runRetryDelay: 2_000,
};
const jobOptions = { removeOnComplete: true, removeOnFail: true };
/** Pending wake-ups while the queue is unreachable; more are dropped, since the sweeper wakes shards again. */
const maxPending = 4;

const closeMs = 2_000;
const firstDelayMs = 100;
const maxDelayMs = 2_000;

/** Different errors that one process reports. */
const maxNotes = 5;

export function postgresQueue(database: Database, onNote: (text: string) => void): ShardQueue {
  const pool = sharedPool(database);
  return createShardQueue(pool, pool, createPostgresBackend, {
    drainDelay: 60,
    onFailure: noteOnce(database, onNote),
    onEnd: async () => {},
  });
}

/** The pool of the store, which BullMQ neither ends nor adds a listener to for each of its instances. */
function sharedPool({ pool }: Database): PgPool {
  const shared = {
    options: pool.options,
    connect: () => pool.connect(),
    query: (text: string, values?: unknown[]) => pool.query(text, values),
    end: async () => {},
    on: () => shared,
  };
  return shared as unknown as PgPool;
}

/** Reports each database error once. The store reports an unreachable database. */
function noteOnce({ isUnreachable }: Database, onNote: (text: string) => void): (failure: unknown) => void {
  const reported = new Set<string>();
  return (failure) => {
    if (!(failure instanceof Error) || !hasSqlState(failure) || isUnreachable(failure)) return;
    const reason = failure.message;
    if (reported.has(reason) || reported.size >= maxNotes) return;
    reported.add(reason);
    onNote(`The queue in the database fails (${reason}). Work continues by polling its tables, slightly slower.`);
  };
}

/** BullMQ's error for a lock that was lost because a worker was stopped or the queue was cleared. It needs no report. */
function isLockLost(failure: unknown): boolean {
  return failure instanceof Error && /\bfor job\b/.test(failure.message);
}

/** PostgreSQL errors have a five-character code; those of BullMQ have none. */
function hasSqlState(failure: Error & { code?: unknown }): boolean {
  return typeof failure.code === 'string' && /^[0-9A-Z]{5}$/.test(failure.code);
}

interface ShardQueueHooks {
  /** How long an idle worker waits for a notification before it looks for a job, in seconds. */
  drainDelay: number;
  /** Called with the cause of a failure, or with null when the queue works again. */
  onFailure(failure: unknown): void;
  onEnd(): Promise<void>;
}

/** The queue on BullMQ with any backend: `commands` fails while the backend is unreachable, `blocking` waits. */
export function createShardQueue<Backend extends IQueueBackend, Connection>(
  commands: Connection,
  blocking: Connection,
  backend: BackendFactory<Backend, Connection>,
  { drainDelay, onFailure, onEnd }: ShardQueueHooks,
): ShardQueue {
  let isClosed = false;
  const onError = (failure: unknown): void => {
    if (!isClosed && !isLockLost(failure)) onFailure(failure);
  };
  const options: ReadyOptions = { isClosed: () => isClosed, onError };
  const queue = openReady(
    () =>
      new Queue<object, void, string, object, void, string, Backend, Connection>(
        queueName,
        { connection: commands },
        backend,
      ),
    options,
  );
  const consumers = new Set<QueueConsumer>();
  let pending = 0;
  return {
    wake: (shards) => {
      if (pending >= maxPending) return;
      pending++;
      const jobs = shards.map((shard) => ({
        name: shard,
        data: {},
        opts: { ...jobOptions, deduplication: { id: shard, keepLastIfActive: true } },
      }));
      queue
        .then((ready) => ready?.addBulk(jobs))
        .then(() => onFailure(null), onError)
        .finally(() => pending--);
    },
    serve: (run, concurrency) => {
      let limit = concurrency;
      let stopping: Promise<void> | null = null;
      const worker = openReady(
        () =>
          new Worker<object, void, string, Backend, number, Connection>(
            queueName,
            (job) => run(job.name),
            { connection: blocking, concurrency: limit, autorun: false, drainDelay, ...workerOptions },
            backend,
          ),
        { isClosed: () => isClosed || stopping !== null, onError },
      );
      worker.then((ready) => ready?.run()).catch(onError);
      const consumer: QueueConsumer = {
        limit: (wanted) => {
          if (wanted === limit) return;
          limit = wanted;
          void worker.then((ready) => {
            if (ready !== null) ready.concurrency = limit;
          });
        },
        // The shards have been released. Other workers find a leftover job stalled.
        stop: () => (stopping ??= inTime(worker.then((ready) => ready && closeWorker(ready)))),
      };
      consumers.add(consumer);
      return consumer;
    },
    ping: async () => {
      await (await queue)?.isPaused();
    },
    close: async () => {
      isClosed = true;
      // Together: without a connection each of them takes all of its time.
      await Promise.all([
        ...[...consumers].map((consumer) => consumer.stop()),
        inTime(queue.then((ready) => ready?.close())),
      ]);
      await onEnd().catch(() => {});
    },
  };
}

/** A queue or a worker of BullMQ. */
interface Connected {
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
  on(event: 'error', handler: (error: Error) => void): unknown;
}

interface ReadyOptions {
  isClosed(): boolean;
  onError(failure: unknown): void;
}

/**
 * Returns a connected instance, or null if the queue is closed first. BullMQ keeps the failure of the first connection forever, and a
 * worker then repeats it without a pause, so a failed instance is replaced.
 */
async function openReady<Instance extends Connected>(
  create: () => Instance,
  { isClosed, onError }: ReadyOptions,
): Promise<Instance | null> {
  for (let delayMs = firstDelayMs; !isClosed(); delayMs = Math.min(2 * delayMs, maxDelayMs)) {
    const instance = create();
    instance.on('error', onError);
    try {
      await instance.waitUntilReady();
      return instance;
    } catch (error) {
      onError(error);
      await inTime(instance.close());
      await sleep(systemClock, delayMs * (0.5 + Math.random()));
    }
  }
  return null;
}

/** Closes a worker at once. After a lost connection, BullMQ waits for a job for up to an hour, and its timer keeps the process alive. */
async function closeWorker<Backend extends IQueueBackend>(worker: {
  close(force: boolean): Promise<void>;
  getBackend(): Backend;
}): Promise<void> {
  const closing = worker.close(true);
  await worker.getBackend().disconnectBlocking();
  await closing;
}

/** Waits for a close, but not forever: BullMQ does not settle it if its connection was lost during setup. */
async function inTime(closing: Promise<unknown>): Promise<void> {
  await withTimeout(closing, closeMs, new Error('not closed in time')).catch(() => {});
}

/** Assigns shards to workers. It may lose its content at any time: the store is authoritative. */
export interface ShardQueue {
  /** Announces shards that have probes and no owner. */
  wake(shards: readonly string[]): void;
  /** Calls `run` with shards, at most `concurrency` at a time, each until its promise resolves. */
  serve(run: (shard: string) => Promise<void>, concurrency: number): QueueConsumer;
  /** Resolves when the queue answers; rejects if it does not. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

interface QueueConsumer {
  limit(concurrency: number): void;
  stop(): Promise<void>;
}
