import type { LocalJobs } from '../service/local/jobs.js';
import { countVerdicts, openUsage } from './observe/usage.js';

export interface WorkerOptions {
  jobs: Pick<LocalJobs, 'workAll' | 'store'>;
  /** Asks for mailboxes on behalf of others, too. */
  takeLanes(onError: (failure: unknown) => void): Promise<() => Promise<void>>;
  /** Stop: unfinished jobs are given back to the store. */
  signal: AbortSignal;
  onError(failure: unknown): void;
}

/** Runs the jobs of a store, of whichever owner, until the signal says stop: a server without requests. */
export async function runWorker({ jobs, takeLanes, signal, onError }: WorkerOptions): Promise<void> {
  const store = await jobs.store();
  await store.refundAbandoned();
  const usage = openUsage(store, onError);
  const letGo = await takeLanes(onError);
  try {
    await jobs.workAll(signal, onError, countVerdicts(usage));
  } finally {
    await letGo();
    await usage.close();
  }
}
