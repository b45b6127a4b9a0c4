import { LruMap } from '../../../async/lru-map.js';
import { isGone, livenessOf } from '../../../disk/process-identity.js';
import type { AddressCipher } from '../address-cipher.js';
import { addAnswers } from '../answers.js';
import { addCounts, failAfterCrashes } from '../job-changes.js';
import { isForLevel, type JobFilter, type JobRecord, localOwner, type StoredJob } from '../job-record.js';
import { jobById } from '../jobs.js';
import { decodeRow } from '../records.js';
import { encodeChunk } from '../results.js';
import { all, forJob, get, insert, run, type SqlBackend, type Statement, type Steps } from '../sql.js';
import type { JobStore } from '../store.js';
import type { Sql, Sqlite } from './sqlite.js';

/** SQLite for the tables that both databases share. */
export function sqliteBackend(sqlite: Sqlite, processId: string): SqlBackend {
  return {
    read: (work, caller) => sqlite.read((sql) => runSteps(sql, work()), caller),
    write: (work, caller) => sqlite.write((sql) => runSteps(sql, work()), caller),
    processId,
    register: async () => {},
    maxRows: 200,
    maxChunks: 4,
    jobColumns: 'jobs.*',
    readJob: (job) => ({ ...job, interrupted: isKilled(job) || isStopped(job) }),
    *notifyNodes() {},
    slices: {
      *open() {},
      *close() {},
      leave: (job, worker) => withoutSteps(job.worker === worker ? 'queued' : null),
      end: (job, worker) => withoutSteps(job.worker === worker ? true : null),
    },
    *abandonedReservations() {
      const reservations = yield* all<{ id: string; holder: string }>('SELECT id, holder FROM reservations');
      return reservations.filter(({ holder }) => isGone(holder)).map(({ id }) => id);
    },
  };
}

function* withoutSteps<T>(value: T): Steps<T> {
  yield* [];
  return value;
}

function runSteps<T>(sql: Sql, steps: Steps<T>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next(execute(sql, step.value));
  return step.value;
}

function execute(sql: Sql, { kind, text, values }: Statement): { rows: unknown[]; changes: number } {
  if (kind === 'change') return { rows: [], changes: sql.run(text, ...values) };
  return { rows: sql.all(text, ...values).map(decodeRow), changes: 0 };
}

function isKilled({ state, worker }: StoredJob): boolean {
  return state === 'running' && worker !== null && isGone(worker);
}

/** Released by its worker, or never run by the one that waited for its turn. A job of the command line is continued only on request. */
function isStopped({ state, owner, runStartedAt, worker }: StoredJob): boolean {
  if (state !== 'queued' || owner !== localOwner) return false;
  return runStartedAt !== null || (worker !== null && isGone(worker));
}

export function announceWorker(backend: SqlBackend): JobStore['announceWorker'] {
  return (worker, { owner = localOwner, jobId = null }) =>
    backend.write(function* () {
      const queued = `state = 'queued' AND owner = ? AND id = coalesce(?, id)`;
      yield* run(`UPDATE jobs SET worker = ? WHERE ${queued}`, worker, owner, jobId);
    });
}

/** Claims a job whose worker is dead, or else the next one that is queued. */
export function claimJob(backend: SqlBackend, isAbandoned: LeaseWatch): JobStore['claimJob'] {
  return (worker, leaseUntil, now, filter = {}) =>
    backend.write(function* () {
      for (;;) {
        const running = yield* runningJobs(backend, filter);
        const abandoned = running.find((job) => isAbandoned(job, leaseUntil - now));
        const job = abandoned ?? (yield* nextQueued(backend, filter));
        if (job === null) return null;
        yield* run(
          `UPDATE jobs SET state = 'running', worker = ?, lease_until = ?, started_at = coalesce(started_at, ?), run_started_at = ?,
             run_base = processed, finished_at = NULL, error = NULL, crashes = crashes + ? WHERE num = ?`,
          ...[worker, leaseUntil, now, now, job === abandoned ? 1 : 0, job.num],
        );
        const claimed = yield* jobById(backend, job.owner, job.id);
        if (claimed === null) return null;
        if (!(yield* failAfterCrashes(backend, claimed, now, filter))) return { ...claimed, slice: null };
      }
    });
}

/** Results in one chunk. */
const chunkRows = 1_000;

export function saveBatch(backend: SqlBackend, addresses: AddressCipher): JobStore['saveBatch'] {
  return (batch) =>
    backend.write(function* () {
      const { jobId, worker, results, answers, waits } = batch;
      const held = `SELECT * FROM jobs WHERE id = ? AND state = 'running' AND worker = ?`;
      const job = yield* get<StoredJob>(held, jobId, worker);
      if (job === null) return false;
      for (let first = 0; first < results.length; first += chunkRows)
        yield* insert('chunks', { job: job.num, data: encodeChunk(results.slice(first, first + chunkRows)) });
      // Only the command line reuses answers, so those of API keys are not kept.
      if (job.owner === localOwner) yield* addAnswers(answers.scope, answers.entries, batch.now, addresses);
      yield* addCounts(job, [batch]);
      yield* run(
        'UPDATE jobs SET lease_until = ?, crashes = ?, waiting = ?, next_retry_at = ? WHERE num = ?',
        ...[batch.leaseUntil, batch.counts.processed > 0 ? 0 : job.crashes, waits.rows, waits.nextAt, job.num],
      );
      return true;
    }, forJob(batch.jobId));
}

function* runningJobs({ readJob }: SqlBackend, filter: JobFilter): Steps<JobRecord[]> {
  const { owner = null, jobId = null } = filter;
  const running = `SELECT * FROM jobs WHERE state = 'running' AND owner = coalesce(?, owner) AND id = coalesce(?, id) ORDER BY num`;
  return (yield* all<StoredJob>(running, owner, jobId)).map(readJob).filter((job) => isForLevel(job, filter));
}

/** The oldest job of the owner with the fewest running, so that one owner with many jobs does not delay the others. */
function* nextQueued({ readJob }: SqlBackend, filter: JobFilter): Steps<JobRecord | null> {
  const { owner = null, jobId = null } = filter;
  const queued = `SELECT * FROM jobs WHERE state = 'queued' AND owner = ? AND id = coalesce(?, id) ORDER BY num LIMIT ?`;
  for (const candidate of owner === null ? yield* waitingOwners() : [owner]) {
    // Jobs of the command line may have different levels, so all of them are candidates.
    const jobs = yield* all<StoredJob>(queued, candidate, jobId, candidate === localOwner ? -1 : 1);
    const job = jobs.map(readJob).find((job) => isForLevel(job, filter));
    if (job !== undefined) return job;
  }
  return null;
}

/** Owners of queued jobs, sorted by their running jobs, without those that only wait for mail servers. Finds the next owner by the index. */
function* waitingOwners(): Steps<string[]> {
  const owners = yield* all<{ owner: string }>(
    `WITH RECURSIVE waiting (owner) AS (
       SELECT min(owner) FROM jobs WHERE state = 'queued'
       UNION ALL
       SELECT (SELECT min(owner) FROM jobs WHERE state = 'queued' AND owner > waiting.owner) FROM waiting WHERE owner IS NOT NULL)
     SELECT owner,
       (SELECT count(*) FROM jobs WHERE state = 'running' AND owner = waiting.owner AND waiting < total - processed) AS running_jobs,
       (SELECT min(num) FROM jobs WHERE state = 'queued' AND owner = waiting.owner) AS first
     FROM waiting WHERE owner IS NOT NULL ORDER BY running_jobs, first`,
  );
  return owners.map(({ owner }) => owner);
}

/** The maximum number of watched jobs, which are those of workers on other machines. */
const maxWatched = 10_000;

/** Whether a running job may be taken from its worker. */
type LeaseWatch = (job: JobRecord, leaseMs: number) => boolean;

/**
 * A live worker on this machine keeps its job, and a dead one loses it at once. A worker elsewhere loses it when its lease was not
 * renewed for a whole lease while this process watched, by the monotonic clock of this process.
 */
export function openLeaseWatch(elapsed: () => number = performance.now.bind(performance)): LeaseWatch {
  const watched = new LruMap<{ lease: string; since: number }>({ maxEntries: maxWatched });
  return ({ id, worker, leaseUntil }, leaseMs) => {
    const life = worker === null ? 'gone' : livenessOf(worker);
    if (life !== 'unknown') {
      watched.delete(id);
      return life === 'gone';
    }
    const lease = `${worker} ${leaseUntil}`;
    const now = elapsed();
    const lastSeen = watched.get(id);
    if (lastSeen?.lease === lease) return now - lastSeen.since >= leaseMs;
    watched.set(id, { lease, since: now });
    return false;
  };
}
