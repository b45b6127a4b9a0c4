import { type BackendFactory, createPostgresBackend, type IQueueBackend, type PgPool, Queue, Worker } from 'bullmq';
import type { Database } from '../store/postgres/database.js';
import { queueSchema } from '../store/postgres/queue-schema.js';
import type { LaneQueue } from './lane-queue.js';

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

/** Lanes on BullMQ in the database of the store. Told of trouble; the store does without the queue meanwhile. */
export function postgresQueue(database: Database, onTrouble: (failure: unknown) => void): LaneQueue {
  const pool = database.poolIn(queueSchema, connections);
  return laneQueue(pool as unknown as PgPool, createPostgresBackend, onTrouble, async () => {
    await pool.end();
  });
}

/** Lanes on BullMQ, wherever that keeps them. */
export function laneQueue<Backend extends IQueueBackend, Connection>(
  connection: Connection,
  backend: BackendFactory<Backend, Connection>,
  onTrouble: (failure: unknown) => void,
  end: () => Promise<void>,
): LaneQueue {
  const queue = new Queue<object, void, string, object, void, string, Backend, Connection>(
    queueName,
    { connection },
    backend,
  );
  queue.on('error', onTrouble);
  let closed = false;
  const failed = (failure: unknown): void => {
    if (!closed) onTrouble(failure);
  };
  return {
    wake: (lanes) => {
      const jobs = lanes.map((lane) => ({
        name: lane,
        data: {},
        opts: { ...jobOptions, deduplication: { id: lane, keepLastIfActive: true } },
      }));
      queue.addBulk(jobs).catch(failed);
    },
    serve: (run, concurrency) => {
      const worker = new Worker<object, void, string, Backend, number, Connection>(
        queueName,
        (job) => run(job.name),
        { connection, concurrency, ...workerOptions },
        backend,
      );
      worker.on('error', failed);
      return () => worker.close();
    },
    close: async () => {
      closed = true;
      await queue.close().catch(() => {});
      await end().catch(() => {});
    },
  };
}
