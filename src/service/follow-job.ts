import { type Clock, sleep, systemClock } from '../async/clock.js';
import { formatAmount, formatNumber } from '../model/amount.js';
import { Failure } from '../model/failure.js';
import type { Job, JobResults } from '../model/job.js';
import type { CallOptions } from '../model/service.js';
import { isFinalState } from './job-states.js';

export interface FollowOptions extends CallOptions {
  intervalMs?: number;
  onProgress?: (job: Job) => void;
  /** Called before a failed poll is repeated: for the nth time of at most `of`. */
  onRetry?: (failure: Failure, retry: { pauseMs: number; nth: number; of: number }) => void;
  clock?: Clock;
  /** A command line of mailvet for the same back end. */
  command?: (...words: string[]) => string;
  /** The flags of `jobs results` for the rows of the job, if they are wanted. */
  resultFlags?: readonly string[];
}

/** Consecutive failures before it gives up. */
const maxMisses = 5;
const maxPauseMs = 300_000;

/** Polls a job until it has ended, and returns it. Tolerates transient failures. */
export async function followJob(fetchJob: () => Promise<Job>, options: FollowOptions = {}): Promise<Job> {
  const { intervalMs = 2_000, onProgress = () => {}, onRetry = () => {}, clock = systemClock, signal } = options;
  let followed: Job | null = null;
  for (let misses = 0; ; ) {
    let pauseMs = intervalMs;
    try {
      followed = await fetchJob();
      misses = 0;
      onProgress(followed);
      if (isFinalState(followed.status)) return followed;
    } catch (error) {
      if (signal?.aborted) throw stoppedFollowing(followed, options, error);
      if (!isTransient(error) || ++misses >= maxMisses) throw error;
      const wantedMs = (error.retryAfterSeconds ?? 0) * 1_000;
      pauseMs = Math.min(maxPauseMs, Math.max(intervalMs * 2 ** (misses - 1), wantedMs));
      onRetry(error, { pauseMs, nth: misses, of: maxMisses - 1 });
    }
    await sleep(clock, pauseMs, signal).catch((cause: unknown) => {
      throw stoppedFollowing(followed, options, cause);
    });
  }
}

function stoppedFollowing(
  job: Job | null,
  { command = (...words) => `mailvet ${words.join(' ')}`, resultFlags = [] }: FollowOptions,
  cause: unknown,
) {
  if (job === null) {
    const hint = `See its progress with: ${command('jobs', 'list')}`;
    return new Failure('interrupted', 'Interrupted; the job continues.', { hint, cause });
  }
  const { id } = job;
  if (job.interrupted) {
    const hint = `Continue it with: ${command('jobs', 'resume', id)}`;
    return new Failure('interrupted', 'Interrupted; the job has no worker.', { hint, cause });
  }
  const get = ['jobs', 'get', id];
  const hint =
    resultFlags.length === 0
      ? `See its progress with: ${command(...get)}`
      : `Wait for its rows with: ${command(...get, '--watch')} && ${command('jobs', 'results', id, ...resultFlags)}`;
  return new Failure('interrupted', 'Interrupted; the job continues.', { hint, cause });
}

function isTransient(error: unknown): error is Failure {
  return error instanceof Failure && ['network', 'unavailable', 'rate_limited', 'remote_error'].includes(error.code);
}

/**
 * The same rows, and a Failure at their end if some are missing: a response that ends with its connection (RFC 9112
 * §6.3) looks complete when cut between two lines.
 */
export function requireAllRows(
  results: JobResults,
  { id, processed = 0 }: Job,
  command: (...words: string[]) => string,
): JobResults {
  async function* rows(): JobResults['rows'] {
    let received = 0;
    for await (const batch of results.rows) {
      received += batch.length;
      yield batch;
    }
    if (received >= processed) return;
    const amount = `${formatNumber(received)} of ${formatAmount(processed, 'row')}`;
    throw new Failure('network', `The service sent ${amount} of the job.`, {
      hint: `Fetch them again with: ${command('jobs', 'results', id)}`,
    });
  }
  return { ...results, rows: rows() };
}
