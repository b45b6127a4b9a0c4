import type { JobState } from '../../model/job.js';
import { type ForgottenRows, type JobRecord, type StoredJob, sumForgotten } from './job-record.js';
import { listState, mergeParts } from './merge-parts.js';
import { isMemberId } from './sessions.js';
import { all, allLocked, forOwner, get, getLocked, run, type SqlBackend, type SqlValue, type Steps } from './sql.js';

interface JobSelection {
  skip: number;
  limit: number;
  state?: JobState;
  /** A part of the file name, ignoring case. */
  search?: string;
}

export function jobsTable(backend: SqlBackend) {
  const { read, write } = backend;
  return {
    /** Lists, newest first, of one owner or of all (null); the jobs of a list are one record. A member also has those of their keys. */
    listJobs: (owner: string | null, selection: JobSelection) => listJobs(backend, owner, selection),
    /** The counts of all owners together. */
    countJobs: async (): Promise<Record<JobState, number>> => {
      const count = 'SELECT state, count(*) AS total FROM jobs GROUP BY state';
      // Metrics are polled: a lost database shows at once instead of delaying the poll.
      const counts = await read(() => all<{ state: JobState; total: number }>(count), undefined, 1_000);
      const none = { queued: 0, running: 0, completed: 0, failed: 0, canceled: 0 };
      return { ...none, ...Object.fromEntries(counts.map(({ state, total }) => [state, total])) };
    },
    /** Returns a list by its id, whatever the number of its jobs, or one of several jobs by the job's own id. */
    getJob: async (owner: string, id: string) =>
      mergeParts(await read(() => partsById(backend, owner, id), forOwner(owner))),
    /** The owner of a job, a group of jobs or an upload; null if there is none. */
    ownerOf: async (id: string) => {
      const find = `SELECT owner FROM jobs WHERE id = ? OR group_id = ?
        UNION ALL SELECT owner FROM uploads WHERE id = ? LIMIT 1`;
      return (await read(() => get<{ owner: string }>(find, id, id, id), forOwner(null)))?.owner ?? null;
    },
    /** The jobs that `getJob` returns as one, in order. */
    jobsOfGroup: (owner: string, id: string) => read(() => partsById(backend, owner, id), forOwner(owner)),
    /** Records that rows were deleted with their address. */
    addForgotten: (jobId: string, rows: ForgottenRows) =>
      write(function* () {
        const job = yield* getLocked<StoredJob>('SELECT * FROM jobs WHERE id = ?', jobId);
        if (job === null) return;
        const forgotten = JSON.stringify(sumForgotten([job.forgotten, rows]));
        yield* run('UPDATE jobs SET forgotten = ? WHERE id = ?', forgotten, jobId);
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
  const job = yield* (forUpdate ? getLocked : get)<StoredJob>(find, id, owner);
  return job && readJob(job);
}

/** The jobs of a list in order; by the id of one of several jobs, that job alone. */
export function* partsById(backend: SqlBackend, owner: string, id: string, forUpdate = false): Steps<JobRecord[]> {
  const find = `SELECT ${backend.jobColumns} FROM jobs WHERE group_id = ? AND owner = ? ORDER BY part`;
  const parts = yield* (forUpdate ? allLocked : all)<StoredJob>(find, id, owner);
  if (parts.length > 0) return parts.map(backend.readJob);
  const job = yield* jobById(backend, owner, id, forUpdate);
  return job === null ? [] : [job];
}

/** The jobs as lists: a list of several jobs is read as a whole. */
function* asLists(backend: SqlBackend, firstJobs: readonly StoredJob[]): Steps<JobRecord[]> {
  const lists: JobRecord[] = [];
  for (const job of firstJobs.map(backend.readJob)) {
    const parts = job.parts === 1 ? [job] : yield* partsById(backend, job.owner, job.groupId);
    lists.push(mergeParts(parts) ?? job);
  }
  return lists;
}

/** SQL that is true for the first job of each list. */
const isFirstOfList =
  '(parts = 1 OR num = (SELECT min(part.num) FROM jobs AS part WHERE part.group_id = jobs.group_id))';

/** Reads some lists at a time, so that a long list blocks no other transaction for long. */
async function listJobs(
  backend: SqlBackend,
  owner: string | null,
  { skip, limit, state, search }: JobSelection,
): Promise<{ jobs: JobRecord[]; total: number }> {
  const conditions: [condition: string, ...values: SqlValue[]][] = [[isFirstOfList]];
  if (owner !== null && isMemberId(owner))
    conditions.push([
      'owner IN (SELECT id FROM keys WHERE member_id = ? UNION ALL SELECT CAST(? AS text))',
      owner,
      owner,
    ]);
  else if (owner !== null) conditions.push(['owner = ?', owner]);
  if (state !== undefined) conditions.push([`${listState} = ?`, state]);
  if (search !== undefined) conditions.push([`instr(filename_folded, ?) > 0`, foldCase(search)]);
  const where = `FROM jobs WHERE ${conditions.map(([condition]) => condition).join(' AND ')}`;
  const values = conditions.flatMap(([, ...values]) => values);
  const next = `SELECT ${backend.jobColumns} ${where} AND num < ? ORDER BY num DESC LIMIT ? OFFSET ?`;

  const jobs: JobRecord[] = [];
  let total: number | null = null;
  do {
    const page = await backend.read(function* () {
      const [lastNum, offset] = [jobs.at(-1)?.num ?? Number.MAX_SAFE_INTEGER, total === null ? skip : 0];
      const size = Math.min(limit - jobs.length, backend.maxRows);
      const lists = yield* asLists(backend, yield* all<StoredJob>(next, ...values, lastNum, size, offset));
      const counted = total ?? (yield* get<{ total: number }>(`SELECT count(*) AS total ${where}`, ...values))?.total;
      return { lists, total: counted ?? 0 };
    }, forOwner(owner));
    jobs.push(...page.lists);
    total = page.total;
    // Some jobs were deleted meanwhile.
    if (page.lists.length === 0) break;
  } while (jobs.length < Math.min(limit, total - skip));
  return { jobs, total };
}

/**
 * Folds the case of letters of every script; databases fold ASCII only, or by their locale. Lower case comes first: it turns signs
 * such as the Kelvin sign into letters. NFC is applied because file names of macOS have separate accents.
 */
export function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().normalize('NFC');
}
