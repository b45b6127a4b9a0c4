import type { Prober } from '../../net/probe/prober.js';
import type { Cluster } from '../store/postgres/postgres-store.js';
import { createRequestDispatcher, type Requester } from './request-dispatcher.js';
import type { ShardQueue } from './shard-queue.js';
import { startShardWorker } from './shard-worker.js';
import { startSweeper } from './sweeper.js';
import { openWorkerRegistry } from './worker-registry.js';

export type { Requester as Asker };

/** Mailboxes are asked for by workers, one at a time for each mail host. */
export interface Dispatch {
  /** Asks on behalf of somebody: by workers while there are any, else by `own`. */
  proberFor(asker: Requester, own: Prober): Prober;
  /** Makes this process a worker, which asks with `prober`, so many sessions at a time; gives the function that stops that. */
  work(prober: Prober, sessions: number, onError: (failure: unknown) => void): () => Promise<void>;
  /** How long the queue takes to answer; null where it does not. */
  queueSeconds(): Promise<number | null>;
  close(): Promise<void>;
}

interface DispatchOptions {
  cluster: Cluster;
  /** A provider that bears much from each address. */
  isLarge(provider: string): boolean;
  /** The address of Redis for the queue; null: the database has it. */
  redis: string | null;
  /** Told when the queue goes away, when it is back, and what else goes wrong with it. */
  onNote(text: string): void;
}

/** Opens the lanes of a database. */
export async function openDispatch({ cluster, isLarge, redis, onNote }: DispatchOptions): Promise<Dispatch> {
  await cluster.heartbeat.signIn();
  const queue = await openQueue(cluster, redis, onNote);
  let onLook = (): void => {};
  const members = await openWorkerRegistry(cluster, () => onLook());
  const askers = createRequestDispatcher({ cluster, queue, members, isLarge });
  onLook = askers.look;
  const stopSweeping = startSweeper(cluster, queue);
  return {
    proberFor: askers.proberFor,
    work: (prober, sessions, onError) => {
      askers.work();
      return startShardWorker({ cluster, queue, members, prober, sessions, onError });
    },
    queueSeconds: () => timeOf(queue),
    close: async () => {
      stopSweeping();
      askers.close();
      members.close();
      await queue.close();
    },
  };
}

/** Whoever watches need not wait for a queue that takes longer. */
const slowestMs = 2_000;

async function timeOf(queue: ShardQueue): Promise<number | null> {
  const from = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), slowestMs).unref();
  });
  const answered = queue.ask().then(
    () => true,
    () => false,
  );
  const inTime = await Promise.race([answered, tooLate]);
  clearTimeout(timer);
  return inTime ? (performance.now() - from) / 1000 : null;
}

async function openQueue(
  { database }: Cluster,
  redis: string | null,
  say: (text: string) => void,
): Promise<ShardQueue> {
  if (redis !== null) return (await import('./redis-queue.js')).redisQueue(redis, say);
  return (await import('./bullmq-queue.js')).postgresQueue(database, say);
}
