import { timeSlicesFor } from '../../async/time-slicer.js';
import { newIdentity, retireIdentity } from '../../disk/process-identity.js';
import { asFailure, Failure } from '../../model/failure.js';
import { type JobFilter, type JobRecord, type JobStore, localOwner } from '../store/store.js';
import { openRowQueue, type RowQueue } from './row-queue.js';
import { runRows } from './run-rows.js';
import { defaultSettings, type RunnerOptions, type RunObserver } from './run-settings.js';

export type { RunnerOptions };

/** `stopped`: given back, to be continued. `lost`: canceled, or taken over by another worker. */
type RunEnd = 'completed' | 'failed' | 'stopped' | 'lost';

/** Runs jobs, one for each call; a job is never run by two at once. */
interface Runner {
  /** Takes the oldest open job that `only` allows, says so, and runs it to an end; null where none is open. */
  runNext(only?: JobFilter, watcher?: RunObserver): Promise<{ job: JobRecord; end: RunEnd } | null>;
}

/** A commit keeps everybody else waiting, in proportion to its rows. Who works for himself gains by large ones. */
const batchRowsOfCallers = 1_000;

/** A runner on a store; what it asks is handed in. */
export function createRunner(options: RunnerOptions): Runner {
  const settings = { ...defaultSettings, ...options };
  const { store, files, clock } = settings;
  return {
    runNext: async (only, watcher = {}) => {
      const worker = newIdentity();
      const now = clock.now();
      let job: JobRecord | null | undefined;
      try {
        job = await store.claimJob(worker, now + settings.leaseMs, now, only);
        if (job === null) return null;
        const claimed = job;
        watcher.onClaim?.(claimed);
        return { job, end: await giveBackOnError(store, claimed, worker, () => run(claimed, worker, watcher)) };
      } finally {
        // Where giving the job back failed too, it is there to be taken again. A name that took none stands nowhere, and each is remembered.
        if (job !== null) retireIdentity(worker);
      }
    },
  };

  async function run(job: JobRecord, worker: string, { onWaiting }: RunObserver): Promise<RunEnd> {
    const finish = async (state: 'completed' | 'failed', error?: string): Promise<RunEnd> =>
      (await store.finishJob(job.id, worker, state, clock.now(), error)) ? state : 'lost';
    let queue: RowQueue;
    try {
      const found = await files.readEmails(job.id);
      if (found.emails.length !== job.total) throw addressesMissing(found.emails.length, job.total);
      const slices = timeSlicesFor({ priority: 'job', owner: job.owner, work: job.id });
      queue = await openRowQueue(found, await store.loadResults(job.id), settings.canonical, slices);
    } catch (error) {
      const { code, message } = asFailure(error);
      // What was lost or damaged stays so; anything else may pass.
      if (code !== 'storage') throw error;
      return await finish('failed', message);
    }
    const batchRows = job.owner === localOwner ? settings.batchRows : Math.min(settings.batchRows, batchRowsOfCallers);
    const end = await runRows({ ...settings, batchRows, ...(onWaiting && { onWaiting }) }, job, worker, queue);
    if (end === 'stopped') await store.releaseJob(job.id, worker);
    return end === 'completed' ? await finish(end) : end;
  }
}

function addressesMissing(found: number, wanted: number): Failure {
  return new Failure('storage', `The job has ${wanted} addresses, but only ${found} of them are in its file.`);
}

/** A full disk or a bug must not leave the job looking as if it ran. */
async function giveBackOnError<T>(store: JobStore, job: JobRecord, worker: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await store.releaseJob(job.id, worker).catch(() => {});
    throw error;
  }
}
