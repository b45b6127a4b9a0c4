import { Failure } from '../model/failure.js';
import type { Job } from '../model/job.js';
import type { CallOptions, ValidationService } from '../model/service.js';
import { type Clock, systemClock } from './remote/clock.js';

const succeeded = new Set(['completed', 'complete', 'done', 'finished', 'success', 'succeeded']);
const failed = new Set(['failed', 'error', 'errored']);
const canceled = new Set(['canceled', 'cancelled', 'aborted']);

/** True for states that a job does not leave. A word that we do not know is none: the job may still be at work. */
export function isFinalState(status: string): boolean {
  const word = status.trim().toLowerCase();
  return succeeded.has(word) || failed.has(word) || canceled.has(word);
}

const summed = [
  'total',
  'processed',
  'credits_used',
  'valid_count',
  'invalid_count',
  'risky_count',
  'unknown_count',
  'duplicate_count',
] as const;

/** Several jobs shown as one: counts summed where every job has them, and the state of the one that is furthest behind. */
export function mergeJobs(jobs: readonly Job[]): Job {
  const [first] = jobs;
  if (first === undefined) throw new Failure('not_found', 'There is no job to follow.');
  if (jobs.length === 1) return first;
  const merged: Job = { id: jobs.map((job) => job.id).join(','), status: mergedState(jobs) };
  for (const name of summed) {
    const counts = jobs.map((job) => job[name]);
    if (counts.every((count) => count !== undefined)) merged[name] = counts.reduce((sum, count) => sum + count, 0);
  }
  const etas = jobs.map((job) => job.eta_seconds).filter((eta) => typeof eta === 'number');
  if (etas.length > 0) merged.eta_seconds = Math.max(...etas);
  const error = jobs.find((job) => typeof job.error === 'string')?.error;
  if (error !== undefined) merged.error = error;
  return merged;
}

function mergedState(jobs: readonly Job[]): string {
  const words = jobs.map((job) => job.status.trim().toLowerCase());
  const open = jobs.find((job) => !isFinalState(job.status));
  if (open !== undefined)
    return words.every((word) => word === 'queued') ? 'queued' : words.includes('running') ? 'running' : open.status;
  if (words.some((word) => failed.has(word))) return 'failed';
  return words.some((word) => canceled.has(word)) ? 'canceled' : 'completed';
}

export interface FollowOptions extends CallOptions {
  intervalMs?: number;
  /** Told after each look at the jobs. */
  onProgress?: (merged: Job, jobs: readonly Job[]) => void;
  clock?: Clock;
}

/** Looks at jobs until all are over, and gives them as they ended. A look that fails for a while is not the end. */
export async function followJobs(
  service: ValidationService,
  ids: readonly string[],
  options: FollowOptions = {},
): Promise<{ merged: Job; jobs: readonly Job[] }> {
  const { intervalMs = 2_000, onProgress = () => {}, clock = systemClock, signal } = options;
  const call: CallOptions = signal === undefined ? {} : { signal };
  const known = new Map<string, Job>();
  for (let misses = 0; ; ) {
    try {
      for (const id of ids) {
        if (!isFinalState(known.get(id)?.status ?? '')) known.set(id, await service.getJob(id, call));
      }
      misses = 0;
    } catch (error) {
      if (!isPassing(error) || ++misses >= 5) throw error;
    }
    const jobs = [...known.values()];
    if (jobs.length === ids.length) {
      const merged = mergeJobs(jobs);
      onProgress(merged, jobs);
      if (jobs.every((job) => isFinalState(job.status))) return { merged, jobs };
    }
    await clock.sleep(intervalMs, signal).catch(() => {
      throw new Failure('interrupted', 'Interrupted. The work goes on without us.', {
        hint: `See how it is with: mailvet jobs get ${ids[0] ?? ''}`,
      });
    });
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof Failure && ['network', 'unavailable', 'rate_limited', 'remote_error'].includes(error.code);
}
