import type { TimeSlices } from '../../async/time-slicer.js';
import type { JobResults } from '../../model/job.js';
import { explainSubStatus } from '../../model/text/sentences.js';
import type { Status } from '../../model/verdict.js';
import type { RunStats, StatsOptions } from '../../report/run-stats.js';
import type { CountedRow, StatusCounts } from '../../report/status-counts.js';
import { openJobStats } from '../../service/job-stats.js';
import type { AppJob, JobFigures, PlaceCount, ReasonCount } from '../../wire/app-jobs.js';
import { partOf } from './row-filter.js';

/** The statistics of a job, and the number of rows in each part of its results. */
export type CountedStats = RunStats & Pick<JobFigures, 'parts'>;

export async function readStats(
  job: AppJob,
  { rows }: JobResults,
  { maybeYield }: TimeSlices,
  wishes: StatsOptions = {},
): Promise<CountedStats> {
  const { watch, figures } = openJobStats(job, wishes);
  const parts = { clean: 0, review: 0, rejected: 0 };
  for await (const some of watch(rows)) {
    for (const row of some) parts[partOf(row)]++;
    const rest = maybeYield();
    if (rest !== null) await rest;
  }
  return { ...figures(), parts };
}

const placesShown = 10;
const reasonsShown = 20;

export function chartsOf(job: AppJob, figures: CountedStats, madeAt: number): JobFigures {
  return {
    job,
    parts: figures.parts,
    reasons: reasonsIn(figures.reasons),
    domains: placesIn(figures.domains),
    providers: placesIn(figures.providers),
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

function placesIn({ names, dropped }: StatusCounts): JobFigures['domains'] {
  const rest = names.slice(placesShown);
  const sum = (pick: (one: CountedRow) => number): number => rest.reduce((all, one) => all + pick(one), 0);
  return {
    top: names.slice(0, placesShown).map(toPlace),
    others: {
      name: '',
      names: rest.length,
      rows: dropped + sum(({ total }) => total),
      ...{ valid: sum(({ valid }) => valid), risky: sum(({ risky }) => risky) },
      ...{ invalid: sum(({ invalid }) => invalid), unknown: sum(({ unknown }) => unknown) },
    },
  };
}

function toPlace({ name, total, valid, risky, invalid, unknown }: CountedRow): PlaceCount {
  return { name, rows: total, valid, risky, invalid, unknown };
}
