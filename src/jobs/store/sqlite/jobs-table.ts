import type { JobState } from '../../../model/job.js';
import { isForLevel } from '../job-level.js';
import { addSubCounts, latestResults, nothingLeft, oldJobs, withoutUnknown } from '../job-sums.js';
import type { HideAddress } from '../packed-verdict.js';
import { number, readJobRow, text } from '../records.js';
import { decodeChunk, encodeChunk, encodeResets } from '../result-chunk.js';
import {
  type Batch,
  type JobFilter,
  type JobMoves,
  type JobRecord,
  type JobStoreQueries,
  localOwner,
  type RowResult,
  type VerdictPage,
} from '../store.js';
import { settleJob, takeCredits } from './credits.js';
import type { LeaseWatch } from './lease-watch.js';
import { readJob } from './read-job.js';
import type { Sql, Sqlite, SqlValue } from './sqlite.js';
import { rememberVerdicts } from './verdict-cache.js';

/** Looking at jobs, on SQLite. */
export function sqliteJobQueries(sqlite: Sqlite): JobStoreQueries {
  return {
    listJobs: (owner, { skip, limit, state, search }) =>
      sqlite.read((sql) => {
        const { where, values } = jobsWhere({ owner, state, search });
        const jobs = sql
          .all(`SELECT * ${where} ORDER BY num DESC LIMIT ? OFFSET ?`, ...values, limit, skip)
          .map(readJob);
        const counted = sql.all(`SELECT count(*) AS total ${where}`, ...values);
        return { jobs, total: counted.reduce((sum, row) => sum + number(row, 'total'), 0) };
      }),
    countJobs: () =>
      sqlite.read((sql) => {
        const counts: Record<JobState, number> = { queued: 0, running: 0, completed: 0, failed: 0, canceled: 0 };
        for (const row of sql.all('SELECT state, count(*) AS total FROM jobs GROUP BY state')) {
          counts[text(row, 'state') as JobState] = number(row, 'total');
        }
        return counts;
      }),
    getJob: (owner, id) => sqlite.read((sql) => jobById(sql, owner, id)),
    ownerOf: (id) =>
      sqlite.read((sql) => {
        const row =
          sql.get('SELECT owner FROM jobs WHERE id = ? OR group_id = ? LIMIT 1', id, id) ??
          sql.get('SELECT owner FROM uploads WHERE id = ?', id);
        return row === null ? null : text(row, 'owner');
      }),
    workers: () =>
      sqlite.read((sql) =>
        sql
          .all(
            `SELECT worker, count(*) AS jobs FROM jobs WHERE state = 'running' AND worker IS NOT NULL GROUP BY worker`,
          )
          .map((row) => ({ worker: text(row, 'worker'), jobs: number(row, 'jobs') })),
      ),
    jobsOfGroup: (owner, groupId) =>
      sqlite.read((sql) =>
        sql.all('SELECT * FROM jobs WHERE group_id = ? AND owner = ? ORDER BY part', groupId, owner).map(readJob),
      ),
    loadResults: (jobId) => sqlite.read((sql) => readResults(sql, jobId)),
    readVerdicts: (jobId, from) => sqlite.read((sql) => readVerdicts(sql, jobId, from)),
  };
}

/** Moving jobs, on SQLite. Every write by a worker holds only while the job is running and its own. */
export function sqliteJobMoves(sqlite: Sqlite, isAbandoned: LeaseWatch, hide: HideAddress): JobMoves {
  return {
    claimJob: (worker, leaseUntil, now, only = {}) =>
      sqlite.write((sql) => {
        const open = openJobs(sql, only).find((job) => job.state === 'queued' || isAbandoned(job, leaseUntil - now));
        return open === undefined ? null : claim(sql, open, worker, leaseUntil, now);
      }),
    saveBatch: (batch) => sqlite.write((sql) => saveBatch(sql, batch, hide)),
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
    resumeJob: (owner, id, redoUnknown) => sqlite.write((sql) => resume(sql, owner, id, redoUnknown)),
    pruneJobs: (owner, before) => sqlite.write((sql) => prune(sql, owner, before)),
  };
}

function jobsWhere(wanted: { owner: string | null; state: JobState | undefined; search: string | undefined }) {
  const conditions: [string, SqlValue | undefined][] = [
    ['owner = ?', wanted.owner ?? undefined],
    ['state = ?', wanted.state],
    ['instr(lower(filename), lower(?)) > 0', wanted.search],
  ];
  const given = conditions.filter((pair): pair is [string, SqlValue] => pair[1] !== undefined);
  const where = ['TRUE', ...given.map(([condition]) => condition)].join(' AND ');
  return { where: `FROM jobs WHERE ${where}`, values: given.map(([, value]) => value) };
}

function jobById(sql: Sql, owner: string, id: string): JobRecord | null {
  const row = sql.get('SELECT * FROM jobs WHERE id = ? AND owner = ?', id, owner);
  return row === null ? null : readJob(row);
}

function ownJob(sql: Sql, id: string, worker: string): Omit<JobRecord, 'interrupted'> | null {
  const row = sql.get(`SELECT * FROM jobs WHERE id = ? AND worker = ? AND state = 'running'`, id, worker);
  return row === null ? null : readJobRow(row);
}

function openJobs(sql: Sql, only: JobFilter): JobRecord[] {
  const owner = only.owner ?? null;
  const group = only.groupId ?? null;
  return sql
    .all(
      `SELECT * FROM jobs WHERE state IN ('queued', 'running') AND (? IS NULL OR owner = ?) AND (? IS NULL OR group_id = ?)
       ORDER BY num`,
      owner,
      owner,
      group,
      group,
    )
    .map(readJob)
    .filter((job) => isForLevel(job, only));
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

function saveBatch(sql: Sql, batch: Batch, hide: HideAddress): boolean {
  const job = ownJob(sql, batch.jobId, batch.worker);
  if (job === null) return false;
  if (batch.results.length > 0) {
    sql.run('INSERT INTO chunks (job, data) VALUES (?, ?)', job.num, encodeChunk(batch.results));
  }
  // Only the owner of the machine asks for verdicts of earlier runs; nobody else's addresses are remembered for that.
  if (job.owner === localOwner) rememberVerdicts(sql, batch.cache, hide, batch.now);
  const { processed, valid, invalid, risky, unknown, duplicate } = batch.counts;
  sql.run(
    `UPDATE jobs SET processed = processed + ?, valid = valid + ?, invalid = invalid + ?, risky = risky + ?, unknown = unknown + ?,
       duplicate = duplicate + ?, sub_counts = ?, lease_until = ?, waiting = ?, next_retry_at = ? WHERE num = ?`,
    processed,
    valid,
    invalid,
    risky,
    unknown,
    duplicate,
    JSON.stringify(addSubCounts(job.subCounts, batch.subCounts)),
    batch.leaseUntil,
    batch.waits?.rows ?? 0,
    batch.waits?.nextAt ?? null,
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

function readResults(sql: Sql, jobId: string): RowResult[] {
  const chunks = sql.all(
    'SELECT data FROM chunks JOIN jobs ON jobs.num = chunks.job WHERE jobs.id = ? ORDER BY chunks.num',
    jobId,
  );
  return latestResults(chunks.map((chunk) => decodeChunk(text(chunk, 'data'))));
}

/** Commits that are read in one transaction: a few thousand rows. */
const pageCommits = 3;

function readVerdicts(sql: Sql, jobId: string, from: number): VerdictPage {
  const chunks = sql.all(
    `SELECT chunks.num, data FROM chunks JOIN jobs ON jobs.num = chunks.job WHERE jobs.id = ? AND chunks.num > ?
     ORDER BY chunks.num LIMIT ?`,
    jobId,
    from,
    pageCommits,
  );
  const verdicts: VerdictPage['verdicts'] = [];
  for (const chunk of chunks) {
    for (const entry of decodeChunk(text(chunk, 'data'))) {
      verdicts.push([entry.row, 'reset' in entry ? null : entry.verdict]);
    }
  }
  const last = chunks.at(-1);
  return { verdicts, next: last === undefined || chunks.length < pageCommits ? null : number(last, 'num') };
}

function resume(sql: Sql, owner: string, id: string, redoUnknown: boolean): JobRecord | null {
  const job = jobById(sql, owner, id);
  if (job === null || job.state === 'queued' || job.state === 'running') return job;
  if (redoUnknown) forgetUnknown(sql, job);
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

function forgetUnknown(sql: Sql, job: JobRecord): void {
  const left = withoutUnknown(job, readResults(sql, job.id));
  if (left === null) return;
  const { rows, duplicates, subCounts } = left;
  sql.run('INSERT INTO chunks (job, data) VALUES (?, ?)', job.num, encodeResets(rows));
  sql.run(
    `UPDATE jobs SET processed = processed - ?, duplicate = duplicate - ?, unknown = unknown - ?, sub_counts = ? WHERE num = ?`,
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

function prune(sql: Sql, owner: string | null, before: number): JobRecord[] {
  const old = oldJobs(sql.all('SELECT * FROM jobs WHERE ? IS NULL OR owner = ?', owner, owner).map(readJob), before);
  for (const job of old) {
    if (job.finishedAt === null) settleJob(sql, job.num);
    sql.run('DELETE FROM chunks WHERE job = ?', job.num);
    sql.run('DELETE FROM jobs WHERE num = ?', job.num);
    sql.run('DELETE FROM uploads WHERE id = ?', job.uploadId);
  }
  return old;
}
