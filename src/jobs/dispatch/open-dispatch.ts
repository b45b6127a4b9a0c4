import { setTimeout as sleep } from 'node:timers/promises';
import type { Prober } from '../../net/probe/prober.js';
import type { Cluster } from '../store/postgres/postgres-store.js';
import type { ShardQueue } from './bullmq-queue.js';
import { RequestDispatcher } from './request-dispatcher.js';
import type { Requester } from './requester.js';
import { ShardWorker } from './shard-worker.js';
import { startSweeper } from './sweeper.js';
import { WorkerRegistry } from './worker-registry.js';

/** Distributes probes among the workers of a database. Each mail host belongs to one worker at a time. */
export type Dispatch = Awaited<ReturnType<typeof openDispatch>>;

interface DispatchOptions {
  cluster: Cluster;
  /** A provider that accepts many sessions from each address. */
  isLarge(provider: string): boolean;
  /** The address of Redis for the queue; null: the queue is in the database. */
  redis: string | null;
  /** Called when the queue is lost, is back, or fails otherwise, and when shards of another worker are taken over. */
  onNote(text: string): void;
}

export async function openDispatch({ cluster, isLarge, redis, onNote }: DispatchOptions) {
  await cluster.heartbeat.register();
  const queue = await openQueue(cluster, redis, onNote);
  let onViewed = (): void => {};
  const registry = await WorkerRegistry.open(cluster, () => onViewed()).catch(async (error) => {
    // Its connections keep the process alive.
    await queue.close();
    throw error;
  });
  const dispatcher = new RequestDispatcher({ cluster, queue, registry, isLarge });
  onViewed = () => dispatcher.onWorkersViewed();
  const stopSweeping = startSweeper(cluster, queue, onNote);
  return {
    /** Probes for a requester: by workers while there are any, otherwise by `localProber`. */
    proberFor: (requester: Requester, localProber: Prober) => dispatcher.proberFor(requester, localProber),
    /** Makes this process a worker that probes with `prober` and its number of sessions; returns the function that stops it. */
    work: (prober: Prober, sessions: number, onError: (failure: unknown) => void) => {
      dispatcher.markAsWorker();
      const worker = new ShardWorker({ cluster, queue, registry, prober, sessions, onError, onNote });
      return () => worker.stop();
    },
    /** The response time of the queue; null if it does not answer. */
    queueSeconds: () => responseSeconds(queue),
    close: async () => {
      stopSweeping();
      dispatcher.close();
      registry.close();
      await queue.close();
    },
  };
}

/** A slower queue counts as not answering. */
const maxResponseMs = 2_000;

async function responseSeconds(queue: ShardQueue): Promise<number | null> {
  const startedAt = performance.now();
  const hasAnswered = queue.ping().then(
    () => true,
    () => false,
  );
  const isInTime = await Promise.race([hasAnswered, sleep(maxResponseMs, false, { ref: false })]);
  return isInTime ? (performance.now() - startedAt) / 1000 : null;
}

async function openQueue(
  { database }: Cluster,
  redis: string | null,
  onNote: (text: string) => void,
): Promise<ShardQueue> {
  if (redis !== null) return (await import('./redis-queue.js')).redisQueue(redis, onNote);
  return (await import('./bullmq-queue.js')).postgresQueue(database, onNote);
}
