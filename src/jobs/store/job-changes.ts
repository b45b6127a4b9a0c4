import { Failure } from '../../model/failure.js';
import type { JobState } from '../../model/job.js';
import { settleJob, takeCredits } from './credits.js';
import {
  type AddedCounts,
  type JobFilter,
  type JobRecord,
  type Release,
  type StoredJob,
  withCounts,
} from './job-record.js';
import { jobById } from './jobs.js';
import { all, allLocked, forOwner, getLocked, run, type SqlBackend, type Steps } from './sql.js';

/** Changes of a job's state. A worker can write only while the job is running and its own. Each store claims jobs, and commits, in its own way. */
export function jobChanges(backend: SqlBackend) {
  const { write } = backend;
  return {
    /** Ends the job or its slice, and with the last one settles the credits; false if it is no longer this worker's. */
    finishJob: (
      jobId: string,
      worker: string,
      state: 'completed' | 'failed',
      now: number,
      error: string | null = null,
    ) =>
      write(function* () {
        const job = yield* runningJob(jobId);
        const isLast = job && (yield* backend.slices.end(job, worker));
        if (job === null || isLast === null) return false;
        if (isLast || state === 'failed') yield* endJob(backend, job.num, state, now, error);
        return true;
      }),
    /** Queues the job or its slice again. */
    releaseJob: (jobId: string, worker: string, release: Release = {}, now = Date.now()) =>
      write(function* () {
        const job = yield* runningJob(jobId);
        const state = job && (yield* backend.slices.leave(job, worker, release));
        if (job === null || state === null) return;
        if (state === 'failed') yield* endJob(backend, job.num, state, now, stoppedByWorkers);
        else if (state === 'queued')
          yield* run(`UPDATE jobs SET state = 'queued', worker = NULL, lease_until = NULL WHERE num = ?`, job.num);
        yield* backend.notifyNodes();
      }),
    /** Cancels a job that has not ended, and refunds what was not validated. */
    cancelJob: (owner: string, id: string, now: number) =>
      write(function* () {
        const found = yield* jobById(backend, owner, id);
        if (found !== null) yield* backend.slices.close(found.num);
        const job = yield* jobById(backend, owner, id, true);
        if (job === null || hasEnded(job)) return job;
        yield* endJob(backend, job.num, 'canceled', now, null);
        yield* backend.notifyNodes();
        return yield* jobById(backend, owner, id);
      }),
    /** Deletes an ended job with its results and its upload; null if there is none. */
    deleteJob: (owner: string, id: string) => write(() => deleteEnded(backend, owner, id)),
    /** Queues a job that ended before its last row. */
    resumeJob: (owner: string, id: string) => write(() => resume(backend, owner, id), forOwner(owner)),
  };
}

const stoppedByWorkers =
  'The job was stopped: three workers failed on the same rows. Resume it to continue where it stopped.';

function hasEnded({ state }: StoredJob): boolean {
  return state !== 'queued' && state !== 'running';
}

function runningJob(id: string): Steps<StoredJob | null> {
  return getLocked<StoredJob>(`SELECT * FROM jobs WHERE id = ? AND state = 'running'`, id);
}

/** Adds the counts of rows to a job that this transaction has locked. */
export function* addCounts(job: StoredJob, added: readonly AddedCounts[]): Steps<void> {
  const { processed, valid, invalid, risky, unknown, duplicate, ...others } = withCounts(job, added);
  yield* run(
    `UPDATE jobs SET processed = ?, valid = ?, invalid = ?, risky = ?, unknown = ?, duplicate = ?, sub_counts = ?,
       resolver_down = ?, reused = ? WHERE num = ?`,
    ...[processed, valid, invalid, risky, unknown, duplicate, JSON.stringify(others.subCounts)],
    ...[Number(others.resolverDown), others.reused, job.num],
  );
}

function* endJob(backend: SqlBackend, num: number, state: JobState, now: number, error: string | null): Steps<void> {
  yield* backend.slices.close(num);
  yield* run(
    `UPDATE jobs SET state = ?, finished_at = ?, error = ?, worker = NULL, lease_until = NULL, waiting = 0, next_retry_at = NULL WHERE num = ?`,
    ...[state, now, error, num],
  );
  yield* settleJob(num);
}

/** Cancels all jobs of an owner that have not ended. */
export function* cancelOpenJobs(backend: SqlBackend, owner: string, now: number): Steps<void> {
  const open = `SELECT * FROM jobs WHERE owner = ? AND state IN ('queued', 'running') ORDER BY num`;
  for (const { num } of yield* all<StoredJob>(open, owner)) yield* backend.slices.close(num);
  for (const job of yield* allLocked<StoredJob>(open, owner)) yield* endJob(backend, job.num, 'canceled', now, null);
}

/** Ends a job that crashed its workers as often as the filter allows, so that it cannot stop a service forever. True if it did. */
export function* failAfterCrashes(
  backend: SqlBackend,
  job: StoredJob,
  now: number,
  { maxCrashes = Number.POSITIVE_INFINITY }: JobFilter,
): Steps<boolean> {
  if (job.crashes < maxCrashes) return false;
  const error = `The job was stopped: its worker crashed ${job.crashes} times. Resume it to continue where it stopped.`;
  yield* endJob(backend, job.num, 'failed', now, error);
  return true;
}

function* resume(backend: SqlBackend, owner: string, id: string): Steps<JobRecord | null> {
  const job = yield* jobById(backend, owner, id, true);
  if (job === null || job.state === 'running') return job;
  if (job.state === 'queued') return yield* requeue(backend, job);
  if (job.state === 'completed')
    throw new Failure('conflict', 'The job is completed; there is nothing left to do.', {
      hint: 'To ask again for the addresses that are still unknown, upload the list with --max-age 30d.',
    });
  if (job.reserved !== null) yield* takeCredits(owner, job.uniqueTotal - job.reserved);
  const reserved = job.reserved === null ? null : job.uniqueTotal;
  yield* run(
    'UPDATE jobs SET finished_at = NULL, error = NULL, crashes = 0, reserved = ? WHERE num = ?',
    reserved,
    job.num,
  );
  return yield* requeue(backend, job);
}

/** Queues the job. Its last run and worker are cleared: a queued job that has a run or a dead worker counts as stopped. */
function* requeue(backend: SqlBackend, { num, owner, id }: JobRecord): Steps<JobRecord | null> {
  yield* run(
    `UPDATE jobs SET state = 'queued', run_started_at = NULL, worker = NULL, lease_until = NULL WHERE num = ?`,
    num,
  );
  yield* backend.slices.open(num);
  yield* backend.notifyNodes();
  return yield* jobById(backend, owner, id);
}

function* deleteEnded(backend: SqlBackend, owner: string, id: string): Steps<JobRecord | null> {
  const job = yield* jobById(backend, owner, id, true);
  if (job === null || !hasEnded(job)) return null;
  yield* removeJob(job);
  return job;
}

/** Deletes the records of a job and its upload. */
export function* removeJob({ num, uploadId }: JobRecord): Steps<void> {
  yield* run('DELETE FROM chunks WHERE job = ?', num);
  yield* run('DELETE FROM jobs WHERE num = ?', num);
  yield* run('DELETE FROM uploads WHERE id = ?', uploadId);
}
