import { timeSlicesFor } from '../../async/time-slicer.js';
import { newIdentity, retireIdentity } from '../../disk/process-identity.js';
import { asFailure } from '../../model/failure.js';
import { type ClaimedJob, type JobFilter, localOwner, sliceRows, waitForHomeMs } from '../store/job-record.js';
import { DataLost } from '../store/records.js';
import { openJobRows } from './job-rows.js';
import { type RowsEnd, runRows } from './run-rows.js';
import { defaultSettings, type RunnerOptions, type RunObserver } from './run-settings.js';

export type { RunnerOptions, RunObserver };

/** `stopped`: released, to be continued. `lost`: canceled, or taken over by another worker. */
type RunEnd = 'completed' | 'failed' | 'stopped' | 'lost';

/** Batches of jobs of a server are small: a commit blocks other transactions. */
const serverBatch = { batchRows: 250 };
/** Those of slices are frequent: a commit locks nothing but its slice, and rows that are not committed are asked again after a crash. */
const sliceBatch = { batchRows: sliceRows, flushMs: 100, heartbeatMs: 1_000 };

/** Runs jobs or their slices, one a call. No two workers run the same one at once. */
export function createRunner(options: RunnerOptions) {
  const settings = { ...defaultSettings, ...options };
  const { store, files, clock } = settings;
  return {
    /** Claims the next job that the filter allows and runs it; null if there is none. */
    runNext: async (filter?: JobFilter, observer: RunObserver = {}) => {
      const worker = newIdentity();
      const now = clock.now();
      let job: ClaimedJob | null | undefined;
      try {
        job = await store.claimJob(worker, now + settings.leaseMs, now, filter);
        if (job === null) return null;
        const claimed = job;
        observer.onClaim?.(claimed);
        return { job, end: await releaseOnError(claimed, worker, () => run(claimed, worker, observer)) };
      } finally {
        // The job can be claimed again even if the release failed. An identity without a job needs no entry.
        if (job !== null) retireIdentity(worker);
      }
    },
  };

  async function run(job: ClaimedJob, worker: string, { onWaiting }: RunObserver): Promise<RunEnd> {
    const finish = async (state: 'completed' | 'failed', error?: string): Promise<RunEnd> =>
      (await store.finishJob(job.id, worker, state, clock.now(), error)) ? state : 'lost';
    const batch = job.slice !== null ? sliceBatch : job.owner === localOwner ? {} : serverBatch;
    const runSettings = { ...settings, ...batch, ...(onWaiting && { onWaiting }) };
    let end: RowsEnd;
    try {
      const slices = timeSlicesFor({ priority: 'job', owner: job.owner, taskId: job.id });
      const results = store.readResults(job.id, job.slice?.place);
      const readEmails = () => files.readEmails(job.id, job.slice?.place);
      const rows = await openJobRows(readEmails, results, slices, rowsOf(job));
      end = await runRows(runSettings, job, worker, rows);
    } catch (error) {
      // Other failures may be temporary.
      if (!(error instanceof DataLost)) throw error;
      return await finish('failed', error.message);
    }
    if (end === 'completed') return await finish(end);
    if (end === 'lost') return end;
    const { name = '' } = settings;
    await store.releaseJob(job.id, worker, {
      ...(typeof end === 'object' && end),
      ...(end === 'refused' && { avoid: name }),
    });
    return 'stopped';
  }

  /** After a full disk or a bug the job must not look as if it were running. */
  async function releaseOnError<T>(job: ClaimedJob, worker: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      // What one worker lacks, another may have.
      const isOwn = job.slice !== null && asFailure(error).code !== 'storage';
      await store.releaseJob(job.id, worker, isOwn ? { ended: settings.name ?? '' } : {}).catch(() => {});
      throw error;
    }
  }

  /** Mail servers that said "try later" know the worker that they said it to, so the row is left to it while it may come back. */
  function rowsOf({ total, slice, options }: ClaimedJob) {
    const { name, workers = () => [] } = settings;
    const { first, rows } = slice ?? { first: 0, rows: total };
    return {
      ...{ first, end: Math.min(total, first + rows), isRespelled: options['isRespelled'] !== false },
      isOwn: (home: string | undefined) => slice === null || home === name,
      isLeft: (home: string, retryAt: number) => workers().includes(home) || retryAt > clock.now() - waitForHomeMs,
    };
  }
}
