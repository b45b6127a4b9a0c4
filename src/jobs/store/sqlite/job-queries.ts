import type { JobState } from '../../../model/job.js';
import { openLatestResults } from '../job-sums.js';
import { number, text } from '../records.js';
import { decodeChunk, decodeVerdicts } from '../result-chunk.js';
import type { JobRecord, JobStoreQueries, RowResult, VerdictPage } from '../store.js';
import { readJob } from './read-job.js';
import { forJob, forOwner, type Sql, type Sqlite, type SqlValue } from './sqlite.js';

/** Looking at jobs, on SQLite. */
export function sqliteJobQueries(sqlite: Sqlite): JobStoreQueries {
  return {
    listJobs: (owner, page) => listJobs(sqlite, owner, page),
    countJobs: () =>
      sqlite.read((sql) => {
        const counts: Record<JobState, number> = { queued: 0, running: 0, completed: 0, failed: 0, canceled: 0 };
        for (const row of sql.all('SELECT state, count(*) AS total FROM jobs GROUP BY state')) {
          counts[text(row, 'state') as JobState] = number(row, 'total');
        }
        return counts;
      }),
    getJob: (owner, id) => sqlite.read((sql) => jobById(sql, owner, id), forOwner(owner)),
    ownerOf: (id) =>
      sqlite.read((sql) => {
        const row =
          sql.get('SELECT owner FROM jobs WHERE id = ? OR group_id = ? LIMIT 1', id, id) ??
          sql.get('SELECT owner FROM uploads WHERE id = ?', id);
        return row === null ? null : text(row, 'owner');
      }, forOwner(null)),
    workers: () =>
      sqlite.read((sql) =>
        sql
          .all(
            `SELECT worker, count(*) AS jobs FROM jobs WHERE state = 'running' AND worker IS NOT NULL GROUP BY worker`,
          )
          .map((row) => ({ worker: text(row, 'worker'), jobs: number(row, 'jobs') })),
      ),
    jobsOfGroup: (owner, groupId) =>
      sqlite.read(
        (sql) =>
          sql.all('SELECT * FROM jobs WHERE group_id = ? AND owner = ? ORDER BY part', groupId, owner).map(readJob),
        forOwner(owner),
      ),
    loadResults: (jobId) => loadResults(sqlite, jobId),
    readVerdicts: async (jobId, from) => {
      const page: VerdictPage = { rows: [], verdicts: [], next: null };
      const commit = await readCommit(sqlite, jobId, from);
      if (commit !== null) decodeVerdicts(commit.data, page);
      return { ...page, next: commit?.num ?? null };
    },
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

/** One job of an owner. */
export function jobById(sql: Sql, owner: string, id: string): JobRecord | null {
  const row = sql.get('SELECT * FROM jobs WHERE id = ? AND owner = ?', id, owner);
  return row === null ? null : readJob(row);
}

/** Jobs that are read in one transaction. */
const pageJobs = 100;

/** Some at a time, so that a long list keeps nobody else waiting. */
async function listJobs(
  sqlite: Sqlite,
  owner: string | null,
  { skip, limit, state, search }: Parameters<JobStoreQueries['listJobs']>[1],
): Promise<{ jobs: JobRecord[]; total: number }> {
  const { where, values } = jobsWhere({ owner, state, search });
  const share = forOwner(owner);
  const jobs: JobRecord[] = [];
  const total = await sqlite.read((sql) => {
    const first = `SELECT * ${where} ORDER BY num DESC LIMIT ? OFFSET ?`;
    jobs.push(...sql.all(first, ...values, Math.min(limit, pageJobs), skip).map(readJob));
    const counted = sql.all(`SELECT count(*) AS total ${where}`, ...values);
    return counted.reduce((sum, row) => sum + number(row, 'total'), 0);
  }, share);
  while (jobs.length < Math.min(limit, total - skip)) {
    const before = jobs.at(-1)?.num ?? 0;
    const more = await sqlite.read((sql) => {
      const next = `SELECT * ${where} AND num < ? ORDER BY num DESC LIMIT ?`;
      return sql.all(next, ...values, before, Math.min(limit - jobs.length, pageJobs)).map(readJob);
    }, share);
    // Some were deleted meanwhile.
    if (more.length === 0) break;
    jobs.push(...more);
  }
  return { jobs, total };
}

/** The first commit of a job behind another, up to some thousand rows; a whole job would keep everybody waiting. */
async function readCommit(sqlite: Sqlite, jobId: string, from: number): Promise<{ num: number; data: string } | null> {
  const chunk = await sqlite.read(
    (sql) =>
      sql.get(
        `SELECT chunks.num, data FROM chunks JOIN jobs ON jobs.num = chunks.job WHERE jobs.id = ? AND chunks.num > ?
         ORDER BY chunks.num LIMIT 1`,
        jobId,
        from,
      ),
    forJob(jobId),
  );
  return chunk === null ? null : { num: number(chunk, 'num'), data: text(chunk, 'data') };
}

/** The last result of each row. */
export async function loadResults(sqlite: Sqlite, jobId: string): Promise<RowResult[]> {
  const rows = openLatestResults();
  for (let from = 0; ; ) {
    const commit = await readCommit(sqlite, jobId, from);
    if (commit === null) return rows.all();
    rows.add(decodeChunk(commit.data));
    from = commit.num;
  }
}
