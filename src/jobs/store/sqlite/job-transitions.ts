import { isForLevel } from '../job-level.js';
import { nothingLeft, oldJobs, withoutUnknown } from '../job-sums.js';
import { batchValues, waitValues } from '../new-records.js';
import type { HashAddress } from '../packed-verdict.js';
import { pruneJobFiles } from '../prune-jobs.js';
import { number, readJobRow, text } from '../records.js';
import { encodeChunk, encodeResets } from '../result-chunk.js';
import { type Batch, type JobFilter, type JobMoves, type JobRecord, localOwner, type RowResult } from '../store.js';
import { settleJob, takeCredits } from './credits.js';
import { jobById, loadResults } from './job-queries.js';
import type { LeaseWatch } from './lease-watch.js';
import { readJob } from './read-job.js';
import { forJob, forOwner, type Sql, type Sqlite } from './sqlite.js';
import { rememberVerdicts } from './verdict-cache.js';

/** Moving jobs, on SQLite. Every write by a worker holds only while the job is running and its own. */
export function sqliteJobTransitions(sqlite: Sqlite, isAbandoned: LeaseWatch, hide: HashAddress): JobMoves {
  return {
    claimJob: (worker, leaseUntil, now, only = {}) =>
      sqlite.write((sql) => {
        const abandoned = runningJobs(sql, only).find((job) => isAbandoned(job, leaseUntil - now));
        const open = abandoned ?? nextQueued(sql, only);
        return open === null ? null : claim(sql, open, worker, leaseUntil, now);
      }),
    saveBatch: (batch) => sqlite.write((sql) => saveBatch(sql, batch, hide), forJob(batch.jobId)),
    finishJob: (jobId, worker, state, now, error) =>
      sqlite.write((sql) => {
        const job = ownJob(sql, jobId, worker);
        if (job === null) return false;
        end(sql, job.num, state, now, error ?? null);
        return true;
      }),
    releaseJob: (jobId, worker) =>
      sqlite.write((sql) => {
        sql.run(
          `UPDATE jobs SET state = 'queued', worker = NULL, lease_until = NULL WHERE id = ? AND worker = ? AND state = 'running'`,
          jobId,
          worker,
        );
      }),
    cancelJob: (owner, id, now) =>
      sqlite.write((sql) => {
        const job = jobById(sql, owner, id);
        if (job === null || (job.state !== 'queued' && job.state !== 'running')) return job;
        end(sql, job.num, 'canceled', now, null);
        return jobById(sql, owner, id);
      }),
    deleteJob: (owner, id) => sqlite.write((sql) => deleteEnded(sql, owner, id)),
    resumeJob: (owner, id, redoUnknown) => resumeJob(sqlite, owner, id, redoUnknown),
    pruneJobs: (owner, before) => prune(sqlite, owner, before),
  };
}

function ownJob(sql: Sql, id: string, worker: string): Omit<JobRecord, 'interrupted'> | null {
  const row = sql.get(`SELECT * FROM jobs WHERE id = ? AND worker = ? AND state = 'running'`, id, worker);
  return row === null ? null : readJobRow(row);
}

function wanted({ owner, groupId }: JobFilter): { owner: string | null; group: string | null } {
  return { owner: owner ?? null, group: groupId ?? null };
}

function runningJobs(sql: Sql, only: JobFilter): JobRecord[] {
  const { owner, group } = wanted(only);
  const running = `SELECT * FROM jobs WHERE state = 'running' AND (? IS NULL OR owner = ?) AND (? IS NULL OR group_id = ?) ORDER BY num`;
  return sql
    .all(running, owner, owner, group, group)
    .map(readJob)
    .filter((job) => isForLevel(job, only));
}

/** The oldest job of whoever has the fewest at work: ten thousand jobs of one owner keep nobody else's waiting. */
function nextQueued(sql: Sql, only: JobFilter): JobRecord | null {
  const { owner, group } = wanted(only);
  const queued = `SELECT * FROM jobs WHERE state = 'queued' AND owner = ? AND (? IS NULL OR group_id = ?) ORDER BY num LIMIT ?`;
  for (const each of owner === null ? waitingOwners(sql) : [owner]) {
    // How deep jobs of the command line look, each of them says for itself.
    const jobs = sql.all(queued, each, group, group, each === localOwner ? -1 : 1).map(readJob);
    const found = jobs.find((job) => isForLevel(job, only));
    if (found !== undefined) return found;
  }
  return null;
}

/** Whoever has queued jobs, those first that have the fewest under way which do more than wait for mail servers. Passes over owners, not over their jobs. */
function waitingOwners(sql: Sql): string[] {
  const rows = sql.all(
    `WITH RECURSIVE waiting (owner) AS (
       SELECT min(owner) FROM jobs WHERE state = 'queued'
       UNION ALL
       SELECT (SELECT min(owner) FROM jobs WHERE state = 'queued' AND owner > waiting.owner) FROM waiting WHERE owner IS NOT NULL)
     SELECT owner,
       (SELECT count(*) FROM jobs WHERE state = 'running' AND owner = waiting.owner AND waiting < total - processed) AS at_work,
       (SELECT min(num) FROM jobs WHERE state = 'queued' AND owner = waiting.owner) AS first
     FROM waiting WHERE owner IS NOT NULL ORDER BY at_work, first`,
  );
  return rows.map((row) => text(row, 'owner'));
}

function claim(sql: Sql, open: JobRecord, worker: string, leaseUntil: number, now: number): JobRecord | null {
  sql.run(
    `UPDATE jobs SET state = 'running', worker = ?, lease_until = ?, started_at = coalesce(started_at, ?), run_started_at = ?,
       run_base = processed, finished_at = NULL, error = NULL WHERE num = ?`,
    worker,
    leaseUntil,
    now,
    now,
    open.num,
  );
  return jobById(sql, open.owner, open.id);
}

function saveBatch(sql: Sql, batch: Batch, hide: HashAddress): boolean {
  const job = ownJob(sql, batch.jobId, batch.worker);
  if (job === null) return false;
  if (batch.results.length > 0) {
    sql.run('INSERT INTO chunks (job, data) VALUES (?, ?)', job.num, encodeChunk(batch.results));
  }
  // Only the owner of the machine asks for verdicts of earlier runs; nobody else's addresses are remembered for that.
  if (job.owner === localOwner) rememberVerdicts(sql, batch.cache, hide, batch.now);
  sql.run(
    `UPDATE jobs SET processed = processed + ?, valid = valid + ?, invalid = invalid + ?, risky = risky + ?, unknown = unknown + ?,
       duplicate = duplicate + ?, sub_counts = ?, resolver_down = max(resolver_down, ?), reused = reused + ?,
       lease_until = ?, waiting = ?, next_retry_at = ? WHERE num = ?`,
    ...batchValues(job, batch),
    batch.leaseUntil,
    ...waitValues(batch),
    job.num,
  );
  return true;
}

function end(sql: Sql, num: number, state: string, now: number, error: string | null): void {
  sql.run(
    `UPDATE jobs SET state = ?, finished_at = ?, error = ?, worker = NULL, lease_until = NULL, waiting = 0, next_retry_at = NULL
     WHERE num = ?`,
    state,
    now,
    error,
    num,
  );
  settleJob(sql, num);
}

/** What is to be asked again is read before, some rows at a time, and again where the job was run meanwhile. */
async function resumeJob(sqlite: Sqlite, owner: string, id: string, redoUnknown: boolean): Promise<JobRecord | null> {
  if (!redoUnknown) return sqlite.write((sql) => resume(sql, owner, id, null), forOwner(owner));
  for (;;) {
    const before = await sqlite.read((sql) => jobById(sql, owner, id), forOwner(owner));
    const results = before === null ? [] : await loadResults(sqlite, id);
    const resumed = await sqlite.write((sql) => {
      const isSame = jobById(sql, owner, id)?.finishedAt === before?.finishedAt;
      return isSame ? { job: resume(sql, owner, id, results) } : null;
    }, forOwner(owner));
    if (resumed !== null) return resumed.job;
  }
}

/** With the results of a job, its unknown rows are to be asked again. */
function resume(sql: Sql, owner: string, id: string, results: readonly RowResult[] | null): JobRecord | null {
  const job = jobById(sql, owner, id);
  if (job === null || job.state === 'queued' || job.state === 'running') return job;
  if (results !== null) forgetUnknown(sql, job, results);
  else if (job.state === 'completed') throw nothingLeft();
  const charged = sql.get(
    'SELECT unique_total - reserved AS missing FROM jobs WHERE num = ? AND reserved IS NOT NULL',
    job.num,
  );
  if (charged !== null) {
    takeCredits(sql, owner, number(charged, 'missing'));
    sql.run('UPDATE jobs SET reserved = unique_total WHERE num = ?', job.num);
  }
  sql.run(`UPDATE jobs SET state = 'queued', finished_at = NULL, error = NULL WHERE num = ?`, job.num);
  return jobById(sql, owner, id);
}

function forgetUnknown(sql: Sql, job: JobRecord, results: readonly RowResult[]): void {
  const left = withoutUnknown(job, results);
  if (left === null) return;
  const { rows, duplicates, subCounts } = left;
  sql.run('INSERT INTO chunks (job, data) VALUES (?, ?)', job.num, encodeResets(rows));
  sql.run(
    `UPDATE jobs SET processed = processed - ?, duplicate = duplicate - ?, unknown = unknown - ?, sub_counts = ?, resolver_down = 0
     WHERE num = ?`,
    rows.length,
    duplicates,
    rows.length - duplicates,
    JSON.stringify(subCounts),
    job.num,
  );
}

function deleteEnded(sql: Sql, owner: string, id: string): { job: JobRecord; isLast: boolean } | null {
  const job = jobById(sql, owner, id);
  if (job === null || job.state === 'queued' || job.state === 'running') return null;
  sql.run('DELETE FROM chunks WHERE job = ?', job.num);
  sql.run('DELETE FROM jobs WHERE num = ?', job.num);
  const isLast = sql.get('SELECT id FROM jobs WHERE group_id = ? LIMIT 1', job.groupId) === null;
  if (isLast) sql.run('DELETE FROM uploads WHERE id = ?', job.uploadId);
  return { job, isLast };
}

function prune(sqlite: Sqlite, owner: string | null, before: number): Promise<JobRecord[]> {
  const [which, values] = owner === null ? ['', []] : [' AND owner = ?', [owner]];
  const next = `SELECT * FROM jobs WHERE num > ?${which} ORDER BY num LIMIT ?`;
  return pruneJobFiles(
    {
      jobsBehind: (num, most) => sqlite.read((sql) => sql.all(next, num, ...values, most).map(readJob)),
      forget: (lists) => sqlite.write((sql) => lists.flatMap((list) => forgetList(sql, owner, list, before))),
    },
    before,
  );
}

/** Forgets a list, unless somebody has worked on one of its jobs meanwhile. */
function forgetList(sql: Sql, owner: string | null, groupId: string, before: number): JobRecord[] {
  const jobs = sql.all('SELECT * FROM jobs WHERE group_id = ? AND (? IS NULL OR owner = ?)', groupId, owner, owner);
  const old = oldJobs(jobs.map(readJob), before);
  for (const job of old) {
    if (job.finishedAt === null) settleJob(sql, job.num);
    sql.run('DELETE FROM chunks WHERE job = ?', job.num);
    sql.run('DELETE FROM jobs WHERE num = ?', job.num);
    sql.run('DELETE FROM uploads WHERE id = ?', job.uploadId);
  }
  return old;
}
