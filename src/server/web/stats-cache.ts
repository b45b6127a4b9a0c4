import type { TimeSlices } from '../../async/time-slicer.js';
import type { JobResults } from '../../model/job.js';
import type { AppJob, JobFigures } from '../../wire/app-jobs.js';
import { type CountedStats, chartsOf, readStats } from './job-stats.js';

interface FigureMemory {
  of(job: AppJob, open: () => Promise<{ results: JobResults; slices: TimeSlices }>): Promise<JobFigures>;
}

/** While a job runs, its rows are read at most this often. */
const runningFreshMs = 5_000;
const mostJobs = 50;

interface Known {
  /** The state of the job that the statistics are from. */
  mark: string;
  madeAt: number;
  figures: Promise<CountedStats>;
}

export function createStatsCache(now: () => number = Date.now): FigureMemory {
  const known = new Map<string, Known>();
  return {
    of: async (job, open) => {
      const mark = `${job.status} ${job.processed} ${job.finished_at}`;
      const before = known.get(job.id);
      const isFresh =
        before !== undefined &&
        (before.mark === mark || (job.status === 'running' && now() - before.madeAt < runningFreshMs));
      const entry = isFresh ? before : make(job, mark, open);
      return chartsOf(job, await entry.figures, entry.madeAt);
    },
  };

  function make(job: AppJob, mark: string, open: () => Promise<{ results: JobResults; slices: TimeSlices }>): Known {
    const reading = async (): Promise<CountedStats> => {
      const { results, slices } = await open();
      return readStats(job, results, slices);
    };
    const figures = reading();
    // The next request tries again.
    figures.catch(() => known.delete(job.id));
    const entry = { mark, madeAt: now(), figures };
    known.delete(job.id);
    known.set(job.id, entry);
    const [oldest] = known.keys();
    if (known.size > mostJobs && oldest !== undefined) known.delete(oldest);
    return entry;
  }
}
