import { type BackendFactory, createPostgresBackend, type IQueueBackend, type PgPool, Queue, Worker } from 'bullmq';
import type { Database } from '../store/postgres/database.js';
import { queueSchema } from '../store/postgres/queue-schema.js';
import type { ShardQueue } from './shard-queue.js';

const queueName = 'mailvet-lanes';
/** One listens, and the others ask. */
const connections = 3;
const workerOptions = {
  // A lane that stalls is a worker that died, however often that happens.
  maxStalledCount: 1_000_000_000,
  lockDuration: 10_000,
  stalledInterval: 5_000,
};
const jobOptions = { removeOnComplete: true, removeOnFail: true };
/** Wishes that wait for a queue which is away are not worth keeping: the store wakes lanes again. */
const mostWaiting = 4;

/** Troubles of one process that are told. */
const mostTold = 5;

/** Lanes on BullMQ in the database of the store. */
export function postgresQueue(database: Database, say: (text: string) => void): ShardQueue {
  const pool = database.poolIn(queueSchema, connections);
  const shared = pool as unknown as PgPool;
  return createShardQueue(shared, shared, createPostgresBackend, {
    onTrouble: noteOnce(database, say),
    onEnd: () => pool.end(),
  });
}

/** What the database refuses is told once, and not without end; that it went away is told of by the store. */
function noteOnce({ isAway }: Database, say: (text: string) => void): (failure: unknown) => void {
  const told = new Set<string>();
  return (failure) => {
    if (!(failure instanceof Error) || !hasSqlState(failure) || isAway(failure)) return;
    const why = failure.message;
    if (told.has(why) || told.size >= mostTold) return;
    told.add(why);
    say(`The queue in the database fails (${why}). Work goes on by looking into its tables, a little slower.`);
  };
}

/** BullMQ's word that a lane is in other hands, as after a worker was stopped or the queue was wiped: nothing to tell. */
function isLockLost(failure: unknown): boolean {
  return failure instanceof Error && /\bfor job\b/.test(failure.message);
}

/** PostgreSQL's errors have a code of five letters and digits; those of BullMQ itself have none. */
function hasSqlState(failure: Error & { code?: unknown }): boolean {
  return typeof failure.code === 'string' && /^[0-9A-Z]{5}$/.test(failure.code);
}

interface ShardQueueHooks {
  /** Null: all is well again. */
  onTrouble(failure: unknown): void;
  onEnd(): Promise<void>;
}

/** Lanes on BullMQ, wherever that keeps them: `asking` fails where that is away, `serving` waits. */
export function createShardQueue<Backend extends IQueueBackend, Connection>(
  asking: Connection,
  serving: Connection,
  backend: BackendFactory<Backend, Connection>,
  { onTrouble, onEnd }: ShardQueueHooks,
): ShardQueue {
  const queue = new Queue<object, void, string, object, void, string, Backend, Connection>(
    queueName,
    { connection: asking },
    backend,
  );
  const workers = new Set<{ close(force: boolean): Promise<void> }>();
  let waiting = 0;
  let closed = false;
  const failed = (failure: unknown): void => {
    if (!closed && !isLockLost(failure)) onTrouble(failure);
  };
  queue.on('error', failed);
  return {
    wake: (lanes) => {
      if (waiting >= mostWaiting) return;
      waiting++;
      const jobs = lanes.map((lane) => ({
        name: lane,
        data: {},
        opts: { ...jobOptions, deduplication: { id: lane, keepLastIfActive: true } },
      }));
      queue
        .addBulk(jobs)
        .then(() => onTrouble(null), failed)
        .finally(() => waiting--);
    },
    serve: (run, concurrency) => {
      const worker = new Worker<object, void, string, Backend, number, Connection>(
        queueName,
        (job) => run(job.name),
        { connection: serving, concurrency, ...workerOptions },
        backend,
      );
      worker.on('error', failed);
      workers.add(worker);
      return {
        limit: (wanted) => {
          if (worker.concurrency !== wanted) worker.concurrency = wanted;
        },
        // Lanes are let go before; a job that is left is found stalled by others.
        stop: () => worker.close(true),
      };
    },
    ask: async () => {
      await queue.isPaused();
    },
    close: async () => {
      closed = true;
      for (const worker of workers) await worker.close(true).catch(() => {});
      await queue.close().catch(() => {});
      await onEnd().catch(() => {});
    },
  };
}
