import { Failure } from '../../../model/failure.js';
import type { AddressCipher } from '../address-cipher.js';
import { mergeParts } from '../merge-parts.js';
import { readJobRow, readNumber, readText } from '../records.js';
import { encodeChunk, encodeResets } from '../result-chunk.js';
import {
  type Batch,
  type DeletedJob,
  type JobFilter,
  type JobRecord,
  type JobTransitions,
  localOwner,
  type RowResult,
} from '../store.js';
import { addAnswers } from './answers-table.js';
import { jobById, loadResults, partsById } from './job-queries.js';
import { settleJob, takeCredits } from './keys-table.js';
import { pruneJobs } from './prune-jobs.js';
import {
  all,
  forJob,
  forOwner,
  get,
  getLocked,
  lock,
  run,
  type SqlBackend,
  type SqlValue,
  type Steps,
} from './steps.js';

/** Changes of a job's state. A worker can write only while the job is running and its own. Each store claims jobs in its own way. */
export function jobTransitions(
  backend: SqlBackend,
  addresses: AddressCipher,
): Omit<JobTransitions, 'announceWorker' | 'claimJob'> {
  return {
    saveBatch: (batch) => backend.write(() => saveBatch(backend, batch, addresses), forJob(batch.jobId)),
    finishJob: (jobId, worker, state, now, error) =>
      backend.write(function* () {
        const job = yield* jobOfWorker(jobId, worker);
        if (job !== null) yield* endJob(backend, job, state, now, error ?? null);
        return job !== null;
      }),
    releaseJob: (jobId, worker) =>
      backend.write(function* () {
        const release = `UPDATE jobs SET state = 'queued', ${backend.clearWorker} WHERE id = ? AND worker = ? AND state = 'running'`;
        yield* run(release, jobId, worker);
        yield* backend.notifyNodes();
      }),
    cancelJob: (owner, id, now) =>
      backend.write(function* () {
        for (const job of yield* partsById(backend, owner, id, true)) {
          if (!hasEnded(job)) yield* endJob(backend, job, 'canceled', now, null);
        }
        return mergeParts(yield* partsById(backend, owner, id));
      }),
    cancelJobsOf: (owner, now) =>
      backend.write(function* () {
        const open = `SELECT id FROM jobs WHERE owner = ? AND state IN ('queued', 'running')`;
        for (const row of yield* all(open, owner)) {
          const job = yield* jobById(backend, owner, readText(row, 'id'), true);
          if (job !== null && !hasEnded(job)) yield* endJob(backend, job, 'canceled', now, null);
        }
      }),
    deleteJob: (owner, id) => backend.write(() => deleteEnded(backend, owner, id)),
    resumeJob: (owner, id, onlyUnknown) => resumeJob(backend, owner, id, onlyUnknown),
    pruneJobs: pruneJobs(backend),
  };
}

export type StoredJob = Omit<JobRecord, 'interrupted'>;

function hasEnded({ state }: StoredJob): boolean {
  return state !== 'queued' && state !== 'running';
}

function* jobOfWorker(id: string, worker: string): Steps<StoredJob | null> {
  const row = yield* getLocked(`SELECT * FROM jobs WHERE id = ? AND worker = ? AND state = 'running'`, id, worker);
  return row === null ? null : readJobRow(row);
}

/** Results in one chunk. */
const chunkRows = 1_000;

function* saveBatch(backend: SqlBackend, batch: Batch, addresses: AddressCipher): Steps<boolean> {
  const job = yield* jobOfWorker(batch.jobId, batch.worker);
  if (job === null) return false;
  for (let first = 0; first < batch.results.length; first += chunkRows) {
    const data = encodeChunk(batch.results.slice(first, first + chunkRows));
    yield* run('INSERT INTO chunks (job, data) VALUES (?, ?)', job.num, data);
  }
  // Answers are kept until their results are saved: another worker may take over the job.
  yield* backend.deleteProbes(job, batch.probedEmails ?? []);
  // Only the command line reuses answers, so those of API keys are not kept.
  if (job.owner === localOwner) yield* addAnswers(batch.answers.scope, batch.answers.entries, batch.now, addresses);
  const [leaseEnd, leaseValue] = backend.leaseEnd(batch.leaseUntil, batch.now);
  yield* run(
    `UPDATE jobs SET processed = processed + ?, valid = valid + ?, invalid = invalid + ?, risky = risky + ?, unknown = unknown + ?,
       duplicate = duplicate + ?, sub_counts = ?, resolver_down = resolver_down | ?, reused = reused + ?,
       lease_until = ${leaseEnd}, crashes = ?, waiting = ?, next_retry_at = ? WHERE num = ?`,
    ...batchValues(job, batch),
    leaseValue,
    batch.counts.processed > 0 ? 0 : job.crashes,
    batch.waits?.rows ?? 0,
    batch.waits?.nextAt ?? null,
    job.num,
  );
  return true;
}

/** The six counts, the counts by reason, whether the resolver was down, and the reused verdicts. */
function batchValues({ subCounts }: StoredJob, batch: Batch): SqlValue[] {
  const { processed, valid, invalid, risky, unknown, duplicate } = batch.counts;
  const sums = new Map(Object.entries(subCounts));
  for (const [sub, count] of batch.subCounts) sums.set(sub, (sums.get(sub) ?? 0) + count);
  const counts = [processed, valid, invalid, risky, unknown, duplicate];
  return [...counts, JSON.stringify(Object.fromEntries(sums)), Number(batch.resolverDown ?? false), batch.reused ?? 0];
}

function* endJob(
  backend: SqlBackend,
  job: StoredJob,
  state: JobRecord['state'],
  now: number,
  error: string | null,
): Steps<void> {
  yield* run(
    `UPDATE jobs SET state = ?, finished_at = ?, error = ?, ${backend.clearWorker}, waiting = 0, next_retry_at = NULL WHERE num = ?`,
    ...[state, now, error, job.num],
  );
  yield* backend.deleteProbes(job, 'all');
  yield* settleJob(job.num);
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
  yield* endJob(backend, job, 'failed', now, error);
  return true;
}

/** Reads the results in separate transactions, and again if the job ran meanwhile. */
async function resumeJob(
  backend: SqlBackend,
  owner: string,
  id: string,
  onlyUnknown: boolean,
): Promise<JobRecord | null> {
  if (!onlyUnknown) return backend.write(() => resume(backend, owner, id, null), forOwner(owner));
  for (;;) {
    const snapshot = await backend.read(() => jobById(backend, owner, id), forOwner(owner));
    const results = snapshot === null ? [] : await loadResults(backend, id);
    const resumed = await backend.write(function* () {
      const current = yield* jobById(backend, owner, id, true);
      return current?.finishedAt === snapshot?.finishedAt ? { job: yield* resume(backend, owner, id, results) } : null;
    }, forOwner(owner));
    if (resumed !== null) return resumed.job;
  }
}

/** Queues a job again that was stopped or has ended. If `results` is given, its unknown rows are validated again. */
function* resume(
  backend: SqlBackend,
  owner: string,
  id: string,
  results: readonly RowResult[] | null,
): Steps<JobRecord | null> {
  const job = yield* jobById(backend, owner, id, true);
  if (job === null || job.state === 'running') return job;
  if (job.state === 'queued') return yield* requeue(backend, job);
  if (results !== null) yield* resetUnknown(job, results);
  else if (job.state === 'completed')
    throw new Failure('conflict', 'The job is completed; there is nothing left to do.', {
      hint: 'To ask again for the addresses that are still unknown, upload the list with --max-age 30d.',
    });
  const missing = 'SELECT unique_total - reserved AS missing FROM jobs WHERE num = ? AND reserved IS NOT NULL';
  const missingCredits = yield* get(missing, job.num);
  if (missingCredits !== null) {
    yield* takeCredits(owner, readNumber(missingCredits, 'missing'));
    yield* run('UPDATE jobs SET reserved = unique_total WHERE num = ?', job.num);
  }
  yield* run(`UPDATE jobs SET finished_at = NULL, error = NULL, crashes = 0 WHERE num = ?`, job.num);
  return yield* requeue(backend, job);
}

/** Queues the job. Its last run and worker are cleared: a queued job that has a run or a dead worker counts as stopped. */
function* requeue(backend: SqlBackend, { num, owner, id }: JobRecord): Steps<JobRecord | null> {
  yield* run(`UPDATE jobs SET state = 'queued', run_started_at = NULL, ${backend.clearWorker} WHERE num = ?`, num);
  yield* backend.notifyNodes();
  return yield* jobById(backend, owner, id);
}

function* resetUnknown(job: JobRecord, results: readonly RowResult[]): Steps<void> {
  const unknownResults = results.filter(({ verdict }) => verdict.status === 'unknown');
  if (unknownResults.length === 0) return;
  // Rows that wait for a retry are not counted yet.
  const countedResults = unknownResults.filter(({ retryAt }) => retryAt === null);
  const uniqueResults = countedResults.filter(({ duplicate }) => !duplicate);
  const reused = job.reused - uniqueResults.filter((result) => result.reused).length;
  const subCounts = new Map(Object.entries(job.subCounts));
  for (const { verdict } of uniqueResults) {
    const remaining = (subCounts.get(verdict.sub_status) ?? 0) - 1;
    if (remaining > 0) subCounts.set(verdict.sub_status, remaining);
    else subCounts.delete(verdict.sub_status);
  }
  const resets = encodeResets(unknownResults.map(({ row }) => row));
  yield* run('INSERT INTO chunks (job, data) VALUES (?, ?)', job.num, resets);
  yield* run(
    `UPDATE jobs SET processed = processed - ?, duplicate = duplicate - ?, unknown = unknown - ?, sub_counts = ?, resolver_down = 0,
       reused = ?, options = ?
     WHERE num = ?`,
    countedResults.length,
    countedResults.length - uniqueResults.length,
    uniqueResults.length,
    JSON.stringify(Object.fromEntries(subCounts)),
    reused,
    // Otherwise --max-age would reuse them.
    JSON.stringify({ ...job.options, reuseUnknown: false }),
    job.num,
  );
}

function* deleteEnded(backend: SqlBackend, owner: string, id: string): Steps<DeletedJob | null> {
  const parts = yield* partsById(backend, owner, id, true);
  const job = mergeParts(parts);
  if (job === null || !parts.every(hasEnded)) return null;
  // Otherwise two transactions that delete the last two parts of a list could both keep the upload.
  yield* lock('SELECT id FROM uploads WHERE id = ?', job.uploadId);
  for (const { num } of parts) {
    yield* run('DELETE FROM chunks WHERE job = ?', num);
    yield* run('DELETE FROM jobs WHERE num = ?', num);
  }
  const isUploadDeleted = (yield* get('SELECT id FROM jobs WHERE group_id = ? LIMIT 1', job.groupId)) === null;
  if (isUploadDeleted) yield* run('DELETE FROM uploads WHERE id = ?', job.uploadId);
  return { job, partIds: parts.map((part) => part.id), isUploadDeleted };
}
