import type { LocalJobs } from '../service/local/jobs.js';
import { countVerdicts, openUsage } from './observe/usage.js';

interface WorkerOptions {
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
  let gone: Promise<void> | null = null;
  // Whoever asks for his own jobs goes on with that while they are given back, and what he asks for others ends meanwhile.
  const leave = (): Promise<void> => {
    gone ??= letGo();
    return gone;
  };
  signal.addEventListener('abort', () => void leave().catch(onError), { once: true });
  try {
    await jobs.workAll(signal, onError, countVerdicts(usage));
  } finally {
    await leave();
    await usage.close();
  }
}
