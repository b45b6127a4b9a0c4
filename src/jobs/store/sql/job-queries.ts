import type { JobState } from '../../../model/job.js';
import { foldCase } from '../fold-case.js';
import { isMemberId } from '../members.js';
import { listState, mergeParts } from '../merge-parts.js';
import { forgottenIn, readJson, readNumber, readText, type StoredRow, sumForgotten } from '../records.js';
import { decodeChunk, decodeVerdicts, withoutSuggestions } from '../result-chunk.js';
import type { JobRecord, JobStoreQueries, RowResult, VerdictPage } from '../store.js';
import {
  all,
  allLocked,
  forJob,
  forOwner,
  get,
  getLocked,
  run,
  type SqlBackend,
  type SqlValue,
  type Steps,
} from './steps.js';

export function jobQueries(backend: SqlBackend): JobStoreQueries {
  return {
    listJobs: (owner, page) => listJobs(backend, owner, page),
    countJobs: async () => {
      const counts: Record<JobState, number> = { queued: 0, running: 0, completed: 0, failed: 0, canceled: 0 };
      const count = 'SELECT state, count(*) AS total FROM jobs GROUP BY state';
      // Metrics are polled: a lost database shows at once instead of delaying the poll.
      const rows = await backend.read(() => all(count), undefined, 1_000);
      for (const row of rows) counts[readText(row, 'state') as JobState] = readNumber(row, 'total');
      return counts;
    },
    getJob: async (owner, id) => mergeParts(await backend.read(() => partsById(backend, owner, id), forOwner(owner))),
    ownerOf: async (id) => {
      const find = `SELECT owner FROM jobs WHERE id = ? OR group_id = ?
        UNION ALL SELECT owner FROM uploads WHERE id = ? LIMIT 1`;
      const row = await backend.read(() => get(find, id, id, id), forOwner(null));
      return row === null ? null : readText(row, 'owner');
    },
    jobsOfGroup: async (owner, id) => backend.read(() => partsById(backend, owner, id), forOwner(owner)),
    loadResults: (jobId) => loadResults(backend, jobId),
    readVerdicts: async (jobId, from) => {
      const page: VerdictPage = { rows: [], verdicts: [], next: null };
      const chunks = await readChunks(backend, jobId, from);
      for (const chunk of chunks) decodeVerdicts(readText(chunk, 'data'), page);
      return { ...page, next: lastNum(backend, chunks) };
    },
    forgetSuggestions: async (jobId, suggestions) => {
      for (let from: number | null = 0; from !== null; ) {
        const chunks: StoredRow[] = await readChunks(backend, jobId, from);
        for (const chunk of chunks) {
          const data = withoutSuggestions(readText(chunk, 'data'), suggestions);
          if (data === null) continue;
          const num = readNumber(chunk, 'num');
          await backend.write(function* () {
            yield* run('UPDATE chunks SET data = ? WHERE num = ?', data, num);
            // Nodes keep verdicts of ended jobs for a moment.
            yield* backend.notifyNodes();
          });
        }
        from = lastNum(backend, chunks);
      }
    },
    addForgotten: (jobId, rows) =>
      backend.write(function* () {
        const row = yield* getLocked('SELECT options FROM jobs WHERE id = ?', jobId);
        if (row === null) return;
        const options = readJson<Record<string, unknown>>(row, 'options');
        const changed = JSON.stringify({ ...options, forgotten: sumForgotten([forgottenIn(options), rows]) });
        yield* run('UPDATE jobs SET options = ? WHERE id = ?', changed, jobId);
      }),
  };
}

export function* jobById(
  { jobColumns, readJob }: SqlBackend,
  owner: string,
  id: string,
  forUpdate = false,
): Steps<JobRecord | null> {
  const find = `SELECT ${jobColumns} FROM jobs WHERE id = ? AND owner = ?`;
  const row = forUpdate ? yield* getLocked(find, id, owner) : yield* get(find, id, owner);
  return row === null ? null : readJob(row);
}

/** The jobs of a list in order; by the id of one of several jobs, that job alone. */
export function* partsById(backend: SqlBackend, owner: string, id: string, forUpdate = false): Steps<JobRecord[]> {
  const find = `SELECT ${backend.jobColumns} FROM jobs WHERE group_id = ? AND owner = ? ORDER BY part`;
  const rows = yield* (forUpdate ? allLocked : all)(find, id, owner);
  if (rows.length > 0) return rows.map(backend.readJob);
  const job = yield* jobById(backend, owner, id, forUpdate);
  return job === null ? [] : [job];
}

/** The jobs as lists: a list of several jobs is read as a whole. */
function* asLists(backend: SqlBackend, rows: readonly StoredRow[]): Steps<JobRecord[]> {
  const jobs: JobRecord[] = [];
  for (const job of rows.map(backend.readJob)) {
    const parts = job.parts === 1 ? [job] : yield* partsById(backend, job.owner, job.groupId);
    jobs.push(mergeParts(parts) ?? job);
  }
  return jobs;
}

/** SQL that is true for the first job of each list. */
const isFirstOfList =
  '(parts = 1 OR num = (SELECT min(part.num) FROM jobs AS part WHERE part.group_id = jobs.group_id))';

/** Reads some lists at a time, so that a long list blocks no other transaction for long. */
async function listJobs(
  backend: SqlBackend,
  owner: string | null,
  { skip, limit, state, search, createdSince }: Parameters<JobStoreQueries['listJobs']>[1],
): Promise<{ jobs: JobRecord[]; total: number }> {
  const conditions: [condition: string, ...values: SqlValue[]][] = [];
  if (owner !== null && isMemberId(owner))
    conditions.push(['owner IN (SELECT id FROM keys WHERE member = ? UNION ALL SELECT CAST(? AS text))', owner, owner]);
  else if (owner !== null) conditions.push(['owner = ?', owner]);
  if (state !== undefined) conditions.push([`${listState} = ?`, state]);
  if (createdSince !== undefined) conditions.push(['created_at >= ?', createdSince]);
  if (search !== undefined) conditions.push([`instr(filename_folded, ?) > 0`, foldCase(search)]);
  const where = `FROM jobs WHERE ${[isFirstOfList, ...conditions.map(([condition]) => condition)].join(' AND ')}`;
  const values = conditions.flatMap(([, ...values]) => values);
  const select = `SELECT ${backend.jobColumns} ${where}`;

  const { page, total } = await backend.read(function* () {
    const size = Math.min(limit, backend.maxRows);
    const page = yield* all(`${select} ORDER BY num DESC LIMIT ? OFFSET ?`, ...values, size, skip);
    const countRow = yield* get(`SELECT count(*) AS total ${where}`, ...values);
    return { page: yield* asLists(backend, page), total: countRow === null ? 0 : readNumber(countRow, 'total') };
  }, forOwner(owner));
  const jobs = [...page];
  while (jobs.length < Math.min(limit, total - skip)) {
    const lastNum = jobs.at(-1)?.num ?? 0;
    const size = Math.min(limit - jobs.length, backend.maxRows);
    const next = `${select} AND num < ? ORDER BY num DESC LIMIT ?`;
    const lists = await backend.read(function* () {
      return yield* asLists(backend, yield* all(next, ...values, lastNum, size));
    }, forOwner(owner));
    // Some jobs were deleted meanwhile.
    if (lists.length === 0) break;
    jobs.push(...lists);
  }
  return { jobs, total };
}

/** The next chunks of a job after the chunk `from`. */
function readChunks({ read, maxChunks }: SqlBackend, jobId: string, from: number): Promise<StoredRow[]> {
  const next = `SELECT chunks.num, data FROM chunks JOIN jobs ON jobs.num = chunks.job
    WHERE jobs.id = ? AND chunks.num > ? ORDER BY chunks.num LIMIT ?`;
  return read(() => all(next, jobId, from, maxChunks), forJob(jobId));
}

/** The cursor of the next page, or null at the end. */
function lastNum({ maxChunks }: SqlBackend, chunks: readonly StoredRow[]): number | null {
  const last = chunks.at(-1);
  return last === undefined || chunks.length < maxChunks ? null : readNumber(last, 'num');
}

/** The last result of each row. */
export async function loadResults(backend: SqlBackend, jobId: string): Promise<RowResult[]> {
  const results = new Map<number, RowResult>();
  for (let from: number | null = 0; from !== null; ) {
    const chunks: StoredRow[] = await readChunks(backend, jobId, from);
    for (const entry of chunks.flatMap((chunk) => decodeChunk(readText(chunk, 'data')))) {
      if (entry.verdict === null) results.delete(entry.row);
      else results.set(entry.row, entry);
    }
    from = lastNum(backend, chunks);
  }
  return [...results.values()];
}
