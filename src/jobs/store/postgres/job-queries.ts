import type { JobState } from '../../../model/job.js';
import { latestResults } from '../job-sums.js';
import { number, text } from '../records.js';
import { decodeChunk, decodeVerdicts } from '../result-chunk.js';
import type { JobRecord, JobStoreQueries, RowResult, VerdictPage } from '../store.js';
import type { Database, Sql } from './database.js';
import { jobColumns, readJob } from './read-job.js';

/** Looking at jobs, on PostgreSQL. */
export function postgresJobQueries(database: Database): JobStoreQueries {
  return {
    listJobs: (owner, { skip, limit, state, search }) =>
      database.read(async (sql) => {
        const where = `FROM mailvet.jobs WHERE ($1::text IS NULL OR owner = $1) AND ($2::text IS NULL OR state = $2)
          AND ($3::text IS NULL OR position(lower($3) IN lower(filename)) > 0)`;
        const wanted = [owner, state ?? null, search ?? null];
        const page = `SELECT ${jobColumns} ${where} ORDER BY num DESC LIMIT $4 OFFSET $5`;
        const jobs = (await sql.all(page, ...wanted, limit, skip)).map(readJob);
        const counted = await sql.get(`SELECT count(*) AS total ${where}`, ...wanted);
        return { jobs, total: counted === null ? 0 : number(counted, 'total') };
      }),
    countJobs: () =>
      database.read(async (sql) => {
        const counts: Record<JobState, number> = { queued: 0, running: 0, completed: 0, failed: 0, canceled: 0 };
        for (const row of await sql.all('SELECT state, count(*) AS total FROM mailvet.jobs GROUP BY state')) {
          counts[text(row, 'state') as JobState] = number(row, 'total');
        }
        return counts;
        // Whoever draws figures asks again soon, and wants to see that nothing answers.
      }, 1_000),
    getJob: (owner, id) => database.read((sql) => jobById(sql, owner, id)),
    ownerOf: (id) =>
      database.read(async (sql) => {
        const row = await sql.get(
          `SELECT owner FROM mailvet.jobs WHERE id = $1 OR group_id = $1
           UNION ALL SELECT owner FROM mailvet.uploads WHERE id = $1 LIMIT 1`,
          id,
        );
        return row === null ? null : text(row, 'owner');
      }),
    workers: () =>
      database.read(async (sql) => {
        const running = await sql.all(
          `SELECT worker, count(*) AS jobs FROM mailvet.jobs WHERE state = 'running' AND worker IS NOT NULL GROUP BY worker`,
        );
        return running.map((row) => ({ worker: text(row, 'worker'), jobs: number(row, 'jobs') }));
      }),
    jobsOfGroup: (owner, groupId) =>
      database.read(async (sql) => {
        const group = `SELECT ${jobColumns} FROM mailvet.jobs WHERE group_id = $1 AND owner = $2 ORDER BY part`;
        return (await sql.all(group, groupId, owner)).map(readJob);
      }),
    loadResults: (jobId) => database.read((sql) => readResults(sql, jobId)),
    readVerdicts: (jobId, from) => database.read((sql) => readVerdicts(sql, jobId, from)),
  };
}

/** One job of an owner; `lock` keeps others from changing it until the transaction ends. */
export async function jobById(sql: Sql, owner: string, id: string, lock = ''): Promise<JobRecord | null> {
  const row = await sql.get(`SELECT ${jobColumns} FROM mailvet.jobs WHERE id = $1 AND owner = $2 ${lock}`, id, owner);
  return row === null ? null : readJob(row);
}

/** The last result of each row. */
export async function readResults(sql: Sql, jobId: string): Promise<RowResult[]> {
  const chunks = await sql.all(
    'SELECT data FROM mailvet.chunks JOIN mailvet.jobs ON jobs.num = chunks.job WHERE jobs.id = $1 ORDER BY chunks.num',
    jobId,
  );
  return latestResults(chunks.map((chunk) => decodeChunk(text(chunk, 'data'))));
}

/** Chunks that are read at a time: some ten thousand rows. */
const pageChunks = 10;

async function readVerdicts(sql: Sql, jobId: string, from: number): Promise<VerdictPage> {
  const chunks = await sql.all(
    `SELECT chunks.num, data FROM mailvet.chunks JOIN mailvet.jobs ON jobs.num = chunks.job
     WHERE jobs.id = $1 AND chunks.num > $2 ORDER BY chunks.num LIMIT $3`,
    jobId,
    from,
    pageChunks,
  );
  const page: VerdictPage = { rows: [], verdicts: [], next: null };
  for (const chunk of chunks) decodeVerdicts(text(chunk, 'data'), page);
  const last = chunks.at(-1);
  return { ...page, next: last === undefined || chunks.length < pageChunks ? null : number(last, 'num') };
}
