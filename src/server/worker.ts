import type { LocalJobs } from '../service/local/jobs.js';
import { countVerdicts, openUsage } from './observe/usage.js';
import { openWebhooks } from './webhooks/webhook-queue.js';

interface WorkerOptions {
  jobs: Pick<LocalJobs, 'workAll' | 'store'>;
  /** Answers mailbox requests of other nodes, too. */
  serveProbes(onError: (failure: unknown) => void): Promise<() => Promise<void>>;
  /** Abort it to return unfinished jobs to the store. */
  signal: AbortSignal;
  onError(failure: unknown): void;
}

/** Runs the jobs of a store, of all owners, until the signal is aborted. */
export async function runWorker({ jobs, serveProbes, signal, onError }: WorkerOptions): Promise<void> {
  const store = await jobs.store();
  await store.refundAbandoned();
  const usage = openUsage(store, onError);
  const webhooks = openWebhooks(store, null, onError);
  const stopProbes = await serveProbes(onError);
  let stopping: Promise<void> | null = null;
  // The shards are released while the worker's own jobs are returned.
  const stop = (): Promise<void> => {
    stopping ??= stopProbes();
    return stopping;
  };
  signal.addEventListener('abort', () => void stop().catch(onError), { once: true });
  try {
    await jobs.workAll(signal, onError, countVerdicts(usage));
  } finally {
    await stop();
    await webhooks.close();
    await usage.close();
  }
}
