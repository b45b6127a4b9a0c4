import { LruMap } from '../../async/lru-map.js';
import { onAbort } from '../../async/on-abort.js';
import type { TimeSlices } from '../../async/time-slicer.js';
import { createHashSet } from '../../lists/hash-set.js';
import { keyOfAddress } from '../../lists/mailbox-key.js';
import { Failure } from '../../model/failure.js';
import { type Job, type JobResultRow, type JobResults, rowStatuses } from '../../model/job.js';
import { type RowKind, rowKindOf } from '../../model/row-kind.js';
import type { StatsOptions } from '../../report/run-stats.js';
import { createJobStats } from '../../service/job-stats.js';
import type { JobStats, RowSelection, StatusCounts } from '../../wire/app.js';

/** Reads the rows of a job. */
export async function readStats(
  job: Job,
  { rows }: Pick<JobResults, 'rows'>,
  { maybeYield }: TimeSlices,
  options: StatsOptions = {},
): Promise<JobStats> {
  const { watch, stats } = createJobStats(job, options);
  const counts = { rows: { clean: 0, review: 0, rejected: 0 }, unique: { clean: 0, review: 0, rejected: 0 } };
  const isFirst = createDuplicateFilter();
  let answered = 0;
  for await (const chunk of watch(rows)) {
    for (const row of rowsIn(chunk)) {
      const kind = kindOf(row);
      counts.rows[kind]++;
      if (row.filter(isFirst).length > 0) counts.unique[kind]++;
      if (row.every(({ verdict }) => verdict !== null)) answered++;
    }
    const pause = maybeYield();
    if (pause !== null) await pause;
  }
  return { stats: stats(), ...counts, answered };
}

const maxNames = 10;
const maxReasons = 30;

/** The statistics of a page: the most frequent names, and the number of rows of all others. */
function capped({ stats, ...counts }: JobStats): JobStats {
  const cap = ({ names, dropped }: StatusCounts, max: number): StatusCounts => ({
    names: names.slice(0, max),
    dropped: names.slice(max).reduce((sum, { total }) => sum + total, dropped),
  });
  const shown = { reasons: cap(stats.reasons, maxReasons), domains: cap(stats.domains, maxNames) };
  return { stats: { ...stats, ...shown, providers: cap(stats.providers, maxNames) }, ...counts };
}

/** The addresses of one row of the file stay together. */
function* rowsIn(chunk: readonly JobResultRow[]): Generator<readonly JobResultRow[]> {
  for (let index = 0; index < chunk.length; ) {
    const end = index + (chunk[index]?.part?.of ?? 1);
    yield chunk.slice(index, end);
    index = end;
  }
}

/** The file that a row belongs to, as `--clean` sorts rows. */
function kindOf(row: readonly JobResultRow[]): RowKind {
  const statuses = row.flatMap(({ verdict }) => (verdict === null ? [] : [verdict.status]));
  return statuses.length < row.length ? 'review' : rowKindOf(statuses);
}

/** Selects rows, or addresses of them: by file, by the status or sub-status of an address, and by a text in a cell. */
function rowFilter({ only, reason, part, search = '' }: RowSelection, byAddress: boolean) {
  const statuses = partsOf(only);
  const unknown = statuses?.find((name) => !rowStatuses.includes(name));
  if (unknown !== undefined) {
    throw new Failure('bad_input', 'The parameter "only" must be a list of statuses.', {
      hint: `Use one or more of ${rowStatuses.join(', ')}, separated by commas.`,
    });
  }
  const reasons = partsOf(reason);
  const text = search.trim().toLowerCase();
  return (row: readonly JobResultRow[]): (readonly JobResultRow[])[] => {
    if (part !== undefined && kindOf(row) !== part) return [];
    if (text !== '' && !row.some(({ cells }) => cells.some((cell) => cell.toLowerCase().includes(text)))) return [];
    const matching = row.filter(
      ({ verdict }) =>
        (statuses === null || (verdict !== null && statuses.includes(verdict.status))) &&
        (reasons === null || (verdict !== null && reasons.includes(verdict.sub_status))),
    );
    return byAddress ? matching.map((address) => [address]) : matching.length === 0 ? [] : [row];
  };
}

function partsOf(list = ''): string[] | null {
  return list === '' ? null : list.split(',').map((name) => name.trim());
}

/** True for the first row of each mailbox, and for rows without an address. */
export function createDuplicateFilter(): (row: JobResultRow) => boolean {
  const seen = createHashSet();
  return ({ email }) => email === '' || seen.add(keyOfAddress(email));
}

/** The selected rows, or addresses, with the numbers of the rows in the file. */
export async function* selectRows(
  { rows, firstRowNumber = 2 }: JobResults,
  selection: RowSelection,
  { maybeYield }: TimeSlices,
  byAddress = false,
): AsyncGenerator<{ number: number; row: readonly JobResultRow[] }[]> {
  const select = rowFilter(selection, byAddress);
  let number = firstRowNumber - 1;
  for await (const chunk of rows) {
    const selected: { number: number; row: readonly JobResultRow[] }[] = [];
    for (const row of rowsIn(chunk)) {
      number++;
      const pause = maybeYield();
      if (pause !== null) await pause;
      for (const entry of select(row)) selected.push({ number, row: entry });
    }
    yield selected;
  }
}

/** While a job runs, its rows are read at most this often. */
const runningFreshMs = 5_000;
const maxJobs = 100;

interface CachedStats {
  /** The state of the job that the statistics are from. */
  jobState: string;
  processed: number;
  readAt: number;
  stats: Promise<JobStats>;
  /** The requests that wait for the statistics; the reading stops when all of them are gone. */
  waiting: number;
  controller: AbortController;
}

type OpenRows = (signal: AbortSignal) => Promise<{ results: JobResults; slices: TimeSlices }>;

/** Reads the rows of a job once for all requests of the same state. */
export function createStatsCache(now: () => number = Date.now) {
  const cache = new LruMap<CachedStats>({ maxEntries: maxJobs });
  return {
    /** `uploadId` changes when rows of an ended job are deleted. */
    get: async (job: Job, signal: AbortSignal, open: OpenRows, uploadId = ''): Promise<JobStats> => {
      signal.throwIfAborted();
      const jobState = `${job.status} ${job.processed} ${job.finished_at} ${uploadId}`;
      const cached = cache.get(job.id);
      // The first answers show at once.
      const isFirst = cached?.processed === 0 && job.processed !== 0;
      const isRecent = job.status === 'running' && !isFirst && now() - (cached?.readAt ?? 0) < runningFreshMs;
      const isFresh = cached !== undefined && (cached.jobState === jobState || isRecent);
      const entry = isFresh ? cached : startReading(job, jobState, open);
      entry.waiting++;
      const removeListener = onAbort(signal, () => {
        if (--entry.waiting > 0) return;
        remove(job.id, entry);
        entry.controller.abort(signal.reason);
      });
      try {
        return await entry.stats;
      } finally {
        if (!signal.aborted) {
          removeListener();
          entry.waiting--;
        }
      }
    },
  };

  function startReading(job: Job, jobState: string, open: OpenRows): CachedStats {
    const controller = new AbortController();
    const stats = open(controller.signal).then(({ results, slices }) =>
      readStats(job, results, slices).then(capped).finally(results.close),
    );
    const entry = { jobState, processed: job.processed ?? 0, readAt: now(), stats, waiting: 0, controller };
    // The next request tries again.
    stats.catch(() => remove(job.id, entry));
    cache.set(job.id, entry);
    return entry;
  }

  function remove(jobId: string, entry: CachedStats): void {
    if (cache.get(jobId) === entry) cache.delete(jobId);
  }
}
