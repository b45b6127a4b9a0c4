import { type Clock, sleep, systemClock } from '../async/clock.js';
import { Failure } from '../model/failure.js';
import type { Job } from '../model/job.js';
import type { CallOptions } from '../model/service.js';
import { isFinalState, sumJobs } from './sum-jobs.js';

interface FollowOptions extends CallOptions {
  intervalMs?: number;
  /** Called after each poll. */
  onProgress?: (jobs: readonly Job[]) => void;
  clock?: Clock;
}

/** Consecutive failures before it gives up. */
const maxMisses = 5;

/** Polls jobs until all have ended, and returns them. Tolerates transient failures. */
export async function followJobs(look: () => Promise<Job[]>, options: FollowOptions = {}): Promise<Job[]> {
  const { intervalMs = 2_000, onProgress = () => {}, clock = systemClock, signal } = options;
  let id = '';
  for (let misses = 0; ; ) {
    try {
      const jobs = await look();
      misses = 0;
      onProgress(jobs);
      if (jobs.every((job) => isFinalState(job.status))) return jobs;
      ({ id } = sumJobs(jobs));
    } catch (error) {
      if (!isPassing(error) || ++misses >= maxMisses) throw error;
    }
    await sleep(clock, intervalMs, signal).catch((cause: unknown) => {
      throw new Failure('interrupted', 'Interrupted; the job goes on.', {
        hint: `See how it is doing with: mailvet jobs get ${id.split(',')[0]}`,
        cause,
      });
    });
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof Failure && ['network', 'unavailable', 'rate_limited', 'remote_error'].includes(error.code);
}
