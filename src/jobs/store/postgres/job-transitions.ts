import { levelOf } from '../job-level.js';
import { nothingLeft, oldJobs, withoutUnknown } from '../job-sums.js';
import { batchValues, waitValues } from '../new-records.js';
import type { HashAddress } from '../packed-verdict.js';
import { pruneJobFiles } from '../prune-jobs.js';
import { number, readJobRow } from '../records.js';
import { encodeChunk, encodeResets } from '../result-chunk.js';
import { type Batch, type JobFilter, type JobMoves, type JobRecord, localOwner, type RowResult } from '../store.js';
import { settleJob, takeCredits } from './credits.js';
import type { Database, Sql } from './database.js';
import type { Heartbeat } from './heartbeat.js';
import { jobById, readResults } from './job-queries.js';
import { notifyNodes } from './listener.js';
import { isAbandoned, jobColumns, readJob } from './read-job.js';
import { rememberVerdicts } from './verdict-cache.js';

/** Moving jobs, on PostgreSQL. Every write by a worker holds only while the job is running and its own. */
export function postgresJobTransitions(database: Database, presence: Heartbeat, hide: HashAddress): JobMoves {
  return {
    claimJob: async (worker, leaseUntil, now, only = {}) => {
      await presence.signIn();
      return database.write((sql) => claim(sql, { worker, node: presence.id, leaseMs: leaseUntil - now, now }, only));
    },
    saveBatch: (batch) => database.write((sql) => saveBatch(sql, batch, hide)),
    finishJob: (jobId, worker, state, now, error) =>
      database.write(async (sql) => {
        const job = await ownJob(sql, jobId, worker);
        if (job === null) return false;
        await end(sql, job.num, state, now, error ?? null);
        return true;
      }),
    releaseJob: (jobId, worker) =>
      database.write(async (sql) => {
        await sql.run(
          `UPDATE mailvet.jobs SET state = 'queued', worker = NULL, node = NULL, lease_until = NULL
           WHERE id = $1 AND worker = $2 AND state = 'running'`,
          jobId,
          worker,
        );
        await notifyNodes(sql);
      }),
    cancelJob: (owner, id, now) =>
      database.write(async (sql) => {
        const job = await jobById(sql, owner, id, 'FOR UPDATE');
        if (job === null || (job.state !== 'queued' && job.state !== 'running')) return job;
        await end(sql, job.num, 'canceled', now, null);
        return jobById(sql, owner, id);
      }),
    deleteJob: (owner, id) => database.write((sql) => deleteEnded(sql, owner, id)),
    resumeJob: (owner, id, redoUnknown) => database.write((sql) => resume(sql, owner, id, redoUnknown)),
    pruneJobs: (owner, before) => prune(database, owner, before),
  };
}

async function ownJob(sql: Sql, id: string, worker: string): Promise<Omit<JobRecord, 'interrupted'> | null> {
  const own = `SELECT * FROM mailvet.jobs WHERE id = $1 AND worker = $2 AND state = 'running' FOR UPDATE`;
  const row = await sql.get(own, id, worker);
  return row === null ? null : readJobRow(row);
}

/** A job whose worker is dead first, then the oldest of whoever has the fewest at work: ten thousand jobs of one owner keep nobody else's waiting. */
async function claim(
  sql: Sql,
  { worker, node, leaseMs, now }: { worker: string; node: string; leaseMs: number; now: number },
  { owner, groupId, commandLineLevel }: JobFilter,
): Promise<JobRecord | null> {
  const row = await sql.get(
    `UPDATE mailvet.jobs SET state = 'running', worker = $1, node = $2, lease_until = mailvet.now_ms() + $3,
       started_at = coalesce(started_at, $4), run_started_at = $4, run_base = processed, finished_at = NULL, error = NULL
     WHERE num = (
       SELECT num FROM mailvet.jobs LEFT JOIN (
         SELECT owner AS worked_for, count(*) AS at_work FROM mailvet.jobs
         WHERE state = 'running' AND waiting < total - processed GROUP BY owner) AS busy ON worked_for = owner
       WHERE state IN ('queued', 'running') AND (state = 'queued' OR ${isAbandoned})
         AND ($5::text IS NULL OR owner = $5) AND ($6::text IS NULL OR group_id = $6)
         AND ($7 OR owner <> $8 OR options::json->>'cacheScope' = $9)
       ORDER BY state = 'queued', coalesce(at_work, 0), num LIMIT 1 FOR UPDATE OF jobs SKIP LOCKED)
     RETURNING *`,
    worker,
    node,
    leaseMs,
    now,
    owner ?? null,
    groupId ?? null,
    commandLineLevel === undefined,
    localOwner,
    commandLineLevel ?? null,
  );
  return row === null ? null : readJob(row);
}

/** Rows of results that are kept together. */
const chunkRows = 1_000;

async function addChunks(sql: Sql, jobNum: number, results: readonly RowResult[]): Promise<void> {
  const chunks: string[] = [];
  for (let at = 0; at < results.length; at += chunkRows) chunks.push(encodeChunk(results.slice(at, at + chunkRows)));
  if (chunks.length === 0) return;
  await sql.run(
    `INSERT INTO mailvet.chunks (job, data)
     SELECT $1, data FROM unnest($2::text[]) WITH ORDINALITY AS given (data, place) ORDER BY place`,
    jobNum,
    chunks,
  );
}

async function saveBatch(sql: Sql, batch: Batch, hide: HashAddress): Promise<boolean> {
  const job = await ownJob(sql, batch.jobId, batch.worker);
  if (job === null) return false;
  await addChunks(sql, job.num, batch.results);
  // What a worker answered is kept until here, so that whoever takes over the job need not ask again.
  if (levelOf(job) === 'smtp') await forgetProbes(sql, job.id, batch.asked ?? []);
  // Only the owner of the machine asks for verdicts of earlier runs; nobody else's addresses are remembered for that.
  if (job.owner === localOwner) await rememberVerdicts(sql, batch.cache, hide, batch.now);
  await sql.run(
    `UPDATE mailvet.jobs SET processed = processed + $1, valid = valid + $2, invalid = invalid + $3, risky = risky + $4,
       unknown = unknown + $5, duplicate = duplicate + $6, sub_counts = $7, resolver_down = greatest(resolver_down, $8),
       reused = reused + $9, lease_until = mailvet.now_ms() + $10, waiting = $11, next_retry_at = $12 WHERE num = $13`,
    ...batchValues(job, batch),
    batch.leaseUntil - batch.now,
    ...waitValues(batch),
    job.num,
  );
  return true;
}

async function forgetProbes(sql: Sql, jobId: string, mailboxes: readonly string[]): Promise<void> {
  if (mailboxes.length === 0) return;
  await sql.run('DELETE FROM mailvet.probes WHERE asker = $1 AND place = ANY($2::text[])', jobId, mailboxes);
}

async function end(sql: Sql, num: number, state: string, now: number, error: string | null): Promise<void> {
  await sql.run(
    `UPDATE mailvet.jobs SET state = $1, finished_at = $2, error = $3, worker = NULL, node = NULL, lease_until = NULL,
       waiting = 0, next_retry_at = NULL WHERE num = $4`,
    state,
    now,
    error,
    num,
  );
  await sql.run('DELETE FROM mailvet.probes WHERE asker = (SELECT id FROM mailvet.jobs WHERE num = $1)', num);
  await settleJob(sql, num);
}

async function resume(sql: Sql, owner: string, id: string, redoUnknown: boolean): Promise<JobRecord | null> {
  const job = await jobById(sql, owner, id, 'FOR UPDATE');
  if (job === null || job.state === 'queued' || job.state === 'running') return job;
  if (redoUnknown) await forgetUnknown(sql, job);
  else if (job.state === 'completed') throw nothingLeft();
  const charged = await sql.get(
    'SELECT unique_total - reserved AS missing FROM mailvet.jobs WHERE num = $1 AND reserved IS NOT NULL',
    job.num,
  );
  if (charged !== null) {
    await takeCredits(sql, owner, number(charged, 'missing'));
    await sql.run('UPDATE mailvet.jobs SET reserved = unique_total WHERE num = $1', job.num);
  }
  await sql.run(`UPDATE mailvet.jobs SET state = 'queued', finished_at = NULL, error = NULL WHERE num = $1`, job.num);
  await notifyNodes(sql);
  return jobById(sql, owner, id);
}

async function forgetUnknown(sql: Sql, job: JobRecord): Promise<void> {
  const left = withoutUnknown(job, await readResults(sql, job.id));
  if (left === null) return;
  const { rows, duplicates, subCounts } = left;
  await sql.run('INSERT INTO mailvet.chunks (job, data) VALUES ($1, $2)', job.num, encodeResets(rows));
  await sql.run(
    `UPDATE mailvet.jobs SET processed = processed - $1, duplicate = duplicate - $2, unknown = unknown - $3, sub_counts = $4,
       resolver_down = 0 WHERE num = $5`,
    rows.length,
    duplicates,
    rows.length - duplicates,
    JSON.stringify(subCounts),
    job.num,
  );
}

async function deleteEnded(sql: Sql, owner: string, id: string): Promise<{ job: JobRecord; isLast: boolean } | null> {
  const job = await jobById(sql, owner, id, 'FOR UPDATE');
  if (job === null || job.state === 'queued' || job.state === 'running') return null;
  // Two that delete the last two parts of a list at once must not both leave the upload to the other.
  await sql.run('SELECT FROM mailvet.uploads WHERE id = $1 FOR UPDATE', job.uploadId);
  await sql.run('DELETE FROM mailvet.jobs WHERE num = $1', job.num);
  const isLast = (await sql.get('SELECT id FROM mailvet.jobs WHERE group_id = $1 LIMIT 1', job.groupId)) === null;
  if (isLast) await sql.run('DELETE FROM mailvet.uploads WHERE id = $1', job.uploadId);
  return { job, isLast };
}

function prune(database: Database, owner: string | null, before: number): Promise<JobRecord[]> {
  const whose = '($1::text IS NULL OR owner = $1)';
  const next = `SELECT ${jobColumns} FROM mailvet.jobs WHERE ${whose} AND num > $2 ORDER BY num LIMIT $3`;
  return pruneJobFiles(
    {
      jobsBehind: (num, most) => database.read(async (sql) => (await sql.all(next, owner, num, most)).map(readJob)),
      forget: (lists) => database.write((sql) => forgetOld(sql, owner, lists, before)),
    },
    before,
  );
}

/** Forgets lists, unless somebody has worked on one of their jobs meanwhile: what was resumed is seen as that. */
async function forgetOld(
  sql: Sql,
  owner: string | null,
  lists: readonly string[],
  before: number,
): Promise<JobRecord[]> {
  const locked = await sql.all(
    `SELECT ${jobColumns} FROM mailvet.jobs WHERE group_id = ANY($1::text[]) AND ($2::text IS NULL OR owner = $2)
     ORDER BY num FOR UPDATE`,
    lists,
    owner,
  );
  const old = oldJobs(locked.map(readJob), before);
  for (const job of old) {
    if (job.finishedAt === null) await settleJob(sql, job.num);
    await sql.run('DELETE FROM mailvet.jobs WHERE num = $1', job.num);
    await sql.run('DELETE FROM mailvet.uploads WHERE id = $1', job.uploadId);
  }
  return old;
}
