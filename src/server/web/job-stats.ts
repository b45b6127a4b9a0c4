import { onAbort } from '../../async/on-abort.js';
import type { TimeSlices } from '../../async/time-slicer.js';
import { Failure } from '../../model/failure.js';
import { type JobResultRow, type JobResults, rowStatuses } from '../../model/job.js';
import { rowKindOf } from '../../model/row-kind.js';
import { explainSubStatus } from '../../model/text/sentences.js';
import type { Status } from '../../model/verdict.js';
import type { RunStats, StatsOptions } from '../../report/run-stats.js';
import type { CountedRow, StatusCounts } from '../../report/status-counts.js';
import { createHashSet } from '../../service/dedupe/hash-set.js';
import { keyOfAddress } from '../../service/dedupe/mailbox-key.js';
import { createJobStats } from '../../service/job-stats.js';
import type { AppJob, JobStats, NameCount, ReasonCount, ResultPart } from '../../wire/app-jobs.js';

/** The statistics of a job, and the number of rows in each part of its results. */
type CountedStats = RunStats & Pick<JobStats, 'parts' | 'answered'>;

export async function readStats(
  job: AppJob,
  { rows }: JobResults,
  { maybeYield }: TimeSlices,
  options: StatsOptions = {},
): Promise<CountedStats> {
  const { watch, stats } = createJobStats(job, options);
  const parts = { clean: 0, review: 0, rejected: 0 };
  let answered = 0;
  for await (const chunk of watch(rows)) {
    for (const row of chunk) {
      parts[partOf(row)]++;
      if (row.verdict !== null) answered++;
    }
    const pause = maybeYield();
    if (pause !== null) await pause;
  }
  return { ...stats(), parts, answered };
}

const maxNames = 10;
const maxReasons = 20;

function chartsOf(job: AppJob, stats: CountedStats, readAt: number): JobStats {
  return {
    job,
    parts: stats.parts,
    answered: stats.answered,
    reasons: topReasons(stats.reasons),
    domains: topNames(stats.domains),
    made_at: new Date(readAt).toISOString(),
  };
}

function topReasons({ names }: StatusCounts): ReasonCount[] {
  return names
    .filter(({ name }) => name !== '')
    .slice(0, maxReasons)
    .map((entry) => {
      const status = mainStatus(entry);
      return { code: entry.name, ...explainSubStatus(entry.name, status), status, count: entry.total };
    });
}

function mainStatus(entry: CountedRow): Status {
  return (['invalid', 'risky', 'unknown', 'valid'] as const).reduce((main, status) =>
    entry[status] > entry[main] ? status : main,
  );
}

function topNames({ names, dropped }: StatusCounts): JobStats['domains'] {
  const others = names.slice(maxNames);
  const sum = (key: 'total' | Status): number => others.reduce((total, entry) => total + entry[key], 0);
  return {
    top: names.slice(0, maxNames).map(toNameCount),
    others: {
      name: '',
      names: others.length,
      rows: dropped + sum('total'),
      valid: sum('valid'),
      risky: sum('risky'),
      invalid: sum('invalid'),
      unknown: sum('unknown'),
    },
  };
}

function toNameCount({ name, total, valid, risky, invalid, unknown }: CountedRow): NameCount {
  return { name, rows: total, valid, risky, invalid, unknown };
}

/** The part of the results a row belongs to, as `--clean` sorts rows. */
function partOf({ verdict }: Pick<JobResultRow, 'verdict'>): ResultPart {
  return rowKindOf(verdict === null ? [] : [verdict.status]);
}

/** A predicate by status, part, and a text in one of the cells. */
export function rowFilter({ only, part, search = '' }: { only?: string; part?: ResultPart; search?: string }) {
  const statuses = only === undefined || only === '' ? null : statusesIn(only);
  const text = search.trim().toLowerCase();
  return (row: JobResultRow): boolean => {
    const { cells, verdict } = row;
    if (part !== undefined && partOf(row) !== part) return false;
    if (statuses !== null && (verdict === null || !statuses.includes(verdict.status))) return false;
    return text === '' || cells.some((cell) => cell.toLowerCase().includes(text));
  };
}

function statusesIn(only: string): string[] {
  const names = only.split(',').map((name) => name.trim());
  if (names.every((name) => rowStatuses.includes(name))) return names;
  throw new Failure('bad_input', 'The parameter "only" must be a list of statuses.', {
    hint: `Use one or more of ${rowStatuses.join(', ')}, separated by commas.`,
  });
}

/** True for the first row of each mailbox, and for rows without an address. */
export function createDuplicateFilter(): (row: JobResultRow) => boolean {
  const seen = createHashSet();
  return ({ email }) => email === '' || seen.add(keyOfAddress(email));
}

export async function* keepRows(
  rows: JobResults['rows'],
  isWanted: (row: JobResultRow) => boolean,
): JobResults['rows'] {
  for await (const chunk of rows) yield chunk.filter(isWanted);
}

/** While a job runs, its rows are read at most this often. */
const runningFreshMs = 5_000;
const maxJobs = 50;

interface CachedStats {
  /** The state of the job that the statistics are from. */
  jobState: string;
  processed: number;
  readAt: number;
  stats: Promise<CountedStats>;
  /** The requests that wait for the statistics; the reading stops when all of them are gone. */
  waiting: number;
  controller: AbortController;
}

type OpenRows = (signal: AbortSignal) => Promise<{ results: JobResults; slices: TimeSlices }>;

/** Reads the rows of a job once for all requests of the same state. */
export function createStatsCache(now: () => number = Date.now) {
  const cache = new Map<string, CachedStats>();
  return {
    /** `uploadId` changes when rows of an ended job are deleted. */
    get: async (job: AppJob, signal: AbortSignal, open: OpenRows, uploadId = ''): Promise<JobStats> => {
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
        return chartsOf(job, await entry.stats, entry.readAt);
      } finally {
        if (!signal.aborted) {
          removeListener();
          entry.waiting--;
        }
      }
    },
  };

  function startReading(job: AppJob, jobState: string, open: OpenRows): CachedStats {
    const controller = new AbortController();
    const stats = open(controller.signal).then(({ results, slices }) => readStats(job, results, slices));
    const entry = { jobState, processed: job.processed ?? 0, readAt: now(), stats, waiting: 0, controller };
    // The next request tries again.
    stats.catch(() => remove(job.id, entry));
    cache.delete(job.id);
    cache.set(job.id, entry);
    const [oldest] = cache.keys();
    if (cache.size > maxJobs && oldest !== undefined) cache.delete(oldest);
    return entry;
  }

  function remove(jobId: string, entry: CachedStats): void {
    if (cache.get(jobId) === entry) cache.delete(jobId);
  }
}
