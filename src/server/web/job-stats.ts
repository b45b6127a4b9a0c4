import type { TimeSlices } from '../../async/time-slicer.js';
import { Failure } from '../../model/failure.js';
import type { JobResultRow, JobResults } from '../../model/job.js';
import { rowKindOf } from '../../model/row-kind.js';
import { explainSubStatus } from '../../model/text/sentences.js';
import type { Status } from '../../model/verdict.js';
import type { RunStats, StatsOptions } from '../../report/run-stats.js';
import type { CountedRow, StatusCounts } from '../../report/status-counts.js';
import { createJobStats } from '../../service/job-stats.js';
import type { AppJob, JobStats, NameCount, ReasonCount, ResultPart } from '../../wire/app-jobs.js';

/** The statistics of a job, and the number of rows in each part of its results. */
type CountedStats = RunStats & Pick<JobStats, 'parts'>;

export async function readStats(
  job: AppJob,
  { rows }: JobResults,
  { maybeYield }: TimeSlices,
  options: StatsOptions = {},
): Promise<CountedStats> {
  const { watch, stats } = createJobStats(job, options);
  const parts = { clean: 0, review: 0, rejected: 0 };
  for await (const chunk of watch(rows)) {
    for (const row of chunk) parts[partOf(row)]++;
    const rest = maybeYield();
    if (rest !== null) await rest;
  }
  return { ...stats(), parts };
}

const placesShown = 10;
const reasonsShown = 20;

function chartsOf(job: AppJob, stats: CountedStats, madeAt: number): JobStats {
  return {
    job,
    parts: stats.parts,
    reasons: reasonsIn(stats.reasons),
    domains: placesIn(stats.domains),
    providers: placesIn(stats.providers),
    made_at: new Date(madeAt).toISOString(),
  };
}

function reasonsIn({ names }: StatusCounts): ReasonCount[] {
  return names
    .filter(({ name }) => name !== '')
    .slice(0, reasonsShown)
    .map((entry) => {
      const status = mainStatus(entry);
      return { code: entry.name, ...explainSubStatus(entry.name, status), status, count: entry.total };
    });
}

function mainStatus(entry: CountedRow): Status {
  return (['invalid', 'risky', 'unknown', 'valid'] as const).reduce((most, each) =>
    entry[each] > entry[most] ? each : most,
  );
}

function placesIn({ names, dropped }: StatusCounts): JobStats['domains'] {
  const rest = names.slice(placesShown);
  const sum = (pick: (one: CountedRow) => number): number => rest.reduce((all, one) => all + pick(one), 0);
  return {
    top: names.slice(0, placesShown).map(toPlace),
    others: {
      name: '',
      names: rest.length,
      rows: dropped + sum(({ total }) => total),
      valid: sum(({ valid }) => valid),
      risky: sum(({ risky }) => risky),
      invalid: sum(({ invalid }) => invalid),
      unknown: sum(({ unknown }) => unknown),
    },
  };
}

function toPlace({ name, total, valid, risky, invalid, unknown }: CountedRow): NameCount {
  return { name, rows: total, valid, risky, invalid, unknown };
}

const words = ['valid', 'invalid', 'risky', 'unknown', 'empty'];

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
  const given = only.split(',').map((word) => word.trim());
  if (given.every((word) => words.includes(word))) return given;
  throw new Failure('bad_input', 'The parameter "only" must be a list of statuses.', {
    hint: `Use one or more of ${words.join(', ')}, separated by commas.`,
  });
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
  mark: string;
  madeAt: number;
  stats: Promise<CountedStats>;
}

export function createStatsCache(now: () => number = Date.now) {
  const cache = new Map<string, CachedStats>();
  return {
    of: async (job: AppJob, open: () => Promise<{ results: JobResults; slices: TimeSlices }>) => {
      const mark = `${job.status} ${job.processed} ${job.finished_at}`;
      const cached = cache.get(job.id);
      const isFresh =
        cached !== undefined &&
        (cached.mark === mark || (job.status === 'running' && now() - cached.madeAt < runningFreshMs));
      const entry = isFresh ? cached : make(job, mark, open);
      return chartsOf(job, await entry.stats, entry.madeAt);
    },
  };

  function make(
    job: AppJob,
    mark: string,
    open: () => Promise<{ results: JobResults; slices: TimeSlices }>,
  ): CachedStats {
    const reading = async (): Promise<CountedStats> => {
      const { results, slices } = await open();
      return readStats(job, results, slices);
    };
    const stats = reading();
    // The next request tries again.
    stats.catch(() => cache.delete(job.id));
    const entry = { mark, madeAt: now(), stats };
    cache.delete(job.id);
    cache.set(job.id, entry);
    const [oldest] = cache.keys();
    if (cache.size > maxJobs && oldest !== undefined) cache.delete(oldest);
    return entry;
  }
}
