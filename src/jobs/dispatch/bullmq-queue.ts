import { type BackendFactory, createPostgresBackend, type IQueueBackend, type PgPool, Queue, Worker } from 'bullmq';
import type { Database } from '../store/postgres/database.js';
import { queueSchema } from '../store/postgres/schema.js';

const queueName = 'mailvet-lanes';
/** One connection listens, the others run commands. */
const connections = 3;
const workerOptions = {
  // A stalled job means that a worker died, however often that happens.
  maxStalledCount: 1_000_000_000,
  lockDuration: 10_000,
  stalledInterval: 5_000,
};
const jobOptions = { removeOnComplete: true, removeOnFail: true };
/** Pending wake-ups while the queue is unreachable; more are dropped, since the sweeper wakes shards again. */
const maxPending = 4;

/** Different errors that one process reports. */
const maxNotes = 5;

export function postgresQueue(database: Database, onNote: (text: string) => void): ShardQueue {
  const pool = database.poolIn(queueSchema, connections);
  const connection = pool as unknown as PgPool;
  return createShardQueue(connection, connection, createPostgresBackend, {
    onFailure: noteOnce(database, onNote),
    onEnd: () => pool.end(),
  });
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

/** BullMQ's error for a lost lock, as after a worker was stopped or the queue was wiped. It needs no report. */
function isLockLost(failure: unknown): boolean {
  return failure instanceof Error && /\bfor job\b/.test(failure.message);
}

/** PostgreSQL errors have a five-character code; those of BullMQ have none. */
function hasSqlState(failure: Error & { code?: unknown }): boolean {
  return typeof failure.code === 'string' && /^[0-9A-Z]{5}$/.test(failure.code);
}

interface ShardQueueHooks {
  /** Null: the queue works again. */
  onFailure(failure: unknown): void;
  onEnd(): Promise<void>;
}

/** The queue on BullMQ with any backend: `commands` fails while the backend is unreachable, `blocking` waits. */
export function createShardQueue<Backend extends IQueueBackend, Connection>(
  commands: Connection,
  blocking: Connection,
  backend: BackendFactory<Backend, Connection>,
  { onFailure, onEnd }: ShardQueueHooks,
): ShardQueue {
  const queue = new Queue<object, void, string, object, void, string, Backend, Connection>(
    queueName,
    { connection: commands },
    backend,
  );
  const workers = new Set<{ close(force: boolean): Promise<void> }>();
  let pending = 0;
  let isClosed = false;
  const onError = (failure: unknown): void => {
    if (!isClosed && !isLockLost(failure)) onFailure(failure);
  };
  queue.on('error', onError);
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
        .addBulk(jobs)
        .then(() => onFailure(null), onError)
        .finally(() => pending--);
    },
    serve: (run, concurrency) => {
      const worker = new Worker<object, void, string, Backend, number, Connection>(
        queueName,
        (job) => run(job.name),
        { connection: blocking, concurrency, ...workerOptions },
        backend,
      );
      worker.on('error', onError);
      workers.add(worker);
      return {
        limit: (newConcurrency) => {
          if (worker.concurrency !== newConcurrency) worker.concurrency = newConcurrency;
        },
        // Shards are released before. Other workers find a leftover job stalled.
        stop: () => worker.close(true),
      };
    },
    ping: async () => {
      await queue.isPaused();
    },
    close: async () => {
      isClosed = true;
      for (const worker of workers) await worker.close(true).catch(() => {});
      await queue.close().catch(() => {});
      await onEnd().catch(() => {});
    },
  };
}

/** Assigns shards to workers. It may lose its content at any time: the store is authoritative. */
export interface ShardQueue {
  /** These shards have probes and no owner. */
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
