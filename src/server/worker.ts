import type { LocalJobs } from '../service/local/jobs.js';
import { countVerdicts, openUsage } from './observe/usage.js';
import { openWebhooks } from './webhooks/webhook-queue.js';

interface WorkerOptions {
  jobs: Pick<LocalJobs, 'workAll' | 'store'>;
  /** Answers for nodes that cannot ask mail servers themselves. */
  answerNodes(onError: (failure: unknown) => void): Promise<() => Promise<void>>;
  /** Abort it to return unfinished jobs to the store. */
  signal: AbortSignal;
  onError(failure: unknown): void;
}

/** Runs the jobs of a store, of all owners, until the signal is aborted. */
export async function runWorker({ jobs, answerNodes, signal, onError }: WorkerOptions): Promise<void> {
  const store = await jobs.store();
  await store.refundAbandoned();
  const usage = openUsage(store, onError);
  const webhooks = openWebhooks(store, null, onError);
  const stopAnswering = await answerNodes(onError);
  try {
    await jobs.workAll(signal, onError, countVerdicts(usage));
  } finally {
    await stopAnswering();
    await webhooks.close();
    await usage.close();
  }
}
