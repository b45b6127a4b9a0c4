import type { JobState } from '../../model/job.js';
import { addForgotten, type ForgottenRows, type JobRecord, type StoredJob } from './job-record.js';
import { isMemberId } from './sessions.js';
import { all, forOwner, get, getLocked, run, type SqlBackend, type SqlValue, type Steps } from './sql.js';

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
    /** Newest first, of one owner or of all (null). A member also has those of their keys. */
    listJobs: (owner: string | null, selection: JobSelection) => listJobs(backend, owner, selection),
    /** The counts of all owners together. */
    countJobs: async (): Promise<Record<JobState, number>> => {
      const count = 'SELECT state, count(*) AS total FROM jobs GROUP BY state';
      // Metrics are polled: a lost database shows at once instead of delaying the poll.
      const counts = await read(() => all<{ state: JobState; total: number }>(count), undefined, 1_000);
      const none = { queued: 0, running: 0, completed: 0, failed: 0, canceled: 0 };
      return { ...none, ...Object.fromEntries(counts.map(({ state, total }) => [state, total])) };
    },
    getJob: (owner: string, id: string) => read(() => jobById(backend, owner, id), forOwner(owner)),
    /** The owner of a job or an upload; null if there is none. */
    ownerOf: async (id: string) => {
      const find = 'SELECT owner FROM jobs WHERE id = ? UNION ALL SELECT owner FROM uploads WHERE id = ? LIMIT 1';
      return (await read(() => get<{ owner: string }>(find, id, id), forOwner(null)))?.owner ?? null;
    },
    /** Records that rows were deleted with their address. */
    addForgotten: (jobId: string, rows: ForgottenRows) =>
      write(function* () {
        const job = yield* getLocked<StoredJob>('SELECT * FROM jobs WHERE id = ?', jobId);
        if (job === null) return;
        const forgotten = JSON.stringify(addForgotten(job.forgotten, rows));
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

/** Reads some jobs at a time, so that a long list blocks no other transaction for long. */
async function listJobs(
  backend: SqlBackend,
  owner: string | null,
  { skip, limit, state, search }: JobSelection,
): Promise<{ jobs: JobRecord[]; total: number }> {
  const conditions: [condition: string, ...values: SqlValue[]][] = [['TRUE']];
  if (owner !== null && isMemberId(owner))
    conditions.push([
      'owner IN (SELECT id FROM keys WHERE member_id = ? UNION ALL SELECT CAST(? AS text))',
      owner,
      owner,
    ]);
  else if (owner !== null) conditions.push(['owner = ?', owner]);
  if (state !== undefined) conditions.push(['state = ?', state]);
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
      const found = yield* all<StoredJob>(next, ...values, lastNum, size, offset);
      const counted = total ?? (yield* get<{ total: number }>(`SELECT count(*) AS total ${where}`, ...values))?.total;
      return { found: found.map(backend.readJob), total: counted ?? 0 };
    }, forOwner(owner));
    jobs.push(...page.found);
    total = page.total;
    // Some jobs were deleted meanwhile.
    if (page.found.length === 0) break;
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
