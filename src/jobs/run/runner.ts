import { timeSlicesFor } from '../../async/time-slicer.js';
import { newIdentity, retireIdentity } from '../../disk/process-identity.js';
import { asFailure, Failure } from '../../model/failure.js';
import { type JobFilter, type JobRecord, localOwner } from '../store/job-record.js';
import type { JobStore } from '../store/store.js';
import { type JobRows, openJobRows } from './job-rows.js';
import { runRows } from './run-rows.js';
import { defaultSettings, type RunnerOptions, type RunObserver } from './run-settings.js';

export type { RunnerOptions };

/** `stopped`: released, to be continued. `lost`: canceled, or taken over by another worker. */
type RunEnd = 'completed' | 'failed' | 'stopped' | 'lost';

/** Batches of a server's jobs are small, since a commit blocks all other transactions. */
const serverBatchRows = 1_000;

/** Runs jobs, one a call. No two workers run the same job at once. */
export function createRunner(options: RunnerOptions) {
  const settings = { ...defaultSettings, ...options };
  const { store, files, clock } = settings;
  return {
    /** Claims the next job that the filter allows and runs it; null if there is none. */
    runNext: async (filter?: JobFilter, observer: RunObserver = {}) => {
      const worker = newIdentity();
      const now = clock.now();
      let job: JobRecord | null | undefined;
      try {
        job = await store.claimJob(worker, now + settings.leaseMs, now, filter);
        if (job === null) return null;
        const claimed = job;
        observer.onClaim?.(claimed);
        return { job, end: await releaseOnError(store, claimed, worker, () => run(claimed, worker, observer)) };
      } finally {
        // The job can be claimed again even if the release failed. An identity without a job needs no entry.
        if (job !== null) retireIdentity(worker);
      }
    },
  };

  async function run(job: JobRecord, worker: string, { onWaiting }: RunObserver): Promise<RunEnd> {
    const finish = async (state: 'completed' | 'failed', error?: string): Promise<RunEnd> =>
      (await store.finishJob(job.id, worker, state, clock.now(), error)) ? state : 'lost';
    let rows: JobRows;
    try {
      const jobEmails = await files.readEmails(job.id);
      if (jobEmails.emails.length !== job.total)
        throw new Failure(
          'storage',
          `The job has ${job.total} addresses, but its file has ${jobEmails.emails.length}.`,
        );
      const slices = timeSlicesFor({ priority: 'job', owner: job.owner, taskId: job.id });
      rows = await openJobRows(jobEmails, await store.loadResults(job.id), slices);
    } catch (error) {
      const { code, message } = asFailure(error);
      // Lost or damaged data is permanent; other failures may be temporary.
      if (code !== 'storage') throw error;
      return await finish('failed', message);
    }
    const batchRows = job.owner === localOwner ? settings.batchRows : Math.min(settings.batchRows, serverBatchRows);
    const end = await runRows({ ...settings, batchRows, ...(onWaiting && { onWaiting }) }, job, worker, rows);
    if (end === 'stopped') await store.releaseJob(job.id, worker);
    return end === 'completed' ? await finish(end) : end;
  }
}

/** After a full disk or a bug the job must not look as if it were running. */
async function releaseOnError<T>(store: JobStore, job: JobRecord, worker: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await store.releaseJob(job.id, worker).catch(() => {});
    throw error;
  }
}
