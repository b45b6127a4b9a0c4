import { type Clock, sleep, systemClock } from '../async/clock.js';
import { formatAmount, formatNumber } from '../model/amount.js';
import { Failure } from '../model/failure.js';
import type { Job, JobResults } from '../model/job.js';
import { countWords } from '../model/result.js';
import { rowsForRate } from '../model/rows-for-rate.js';
import type { CallOptions } from '../model/service.js';
import { shellWord } from '../model/text/shell-word.js';

const succeeded = new Set(['completed', 'complete', 'done', 'finished', 'success', 'succeeded', 'successful']);
const failed = new Set(['failed', 'failure', 'error', 'errored', 'expired']);
const canceled = new Set(['canceled', 'cancelled', 'aborted']);

/** True for a job that succeeded, in any of the words that services use. */
export function isSucceeded(status: string): boolean {
  return succeeded.has(normalizeStatus(status));
}

/** True for final states. An unknown state is not final: the job may still run. */
export function isFinalState(status: string): boolean {
  const word = normalizeStatus(status);
  return succeeded.has(word) || failed.has(word) || canceled.has(word);
}

const summedFields = [
  'total',
  'processed',
  'credits_used',
  ...countWords.map((word) => `${word}_count` as const),
] as const;

const addedCounts = ['empty_count', 'suppressed_count', 'reused_count', 'forgotten_count', 'waiting_count'] as const;

/** Combines the jobs of a list. A count is present only if every job has it; the list ends when all jobs have ended. */
export function sumJobs(jobs: readonly Job[]): Job {
  const [first] = jobs;
  if (first === undefined || jobs.length === 1) return first ?? { id: '', status: 'unknown' };
  const sum: Job = {
    // Jobs of one group come from one file, and the first started first.
    ...(first.group_id != null && first),
    id: first.group_id ?? jobs.flatMap((job) => job.id || []).join(','),
    status: sumState(jobs),
  };
  // Parts are numbered in their names.
  const names = new Set(jobs.map(({ filename }) => filename?.replace(/\.part-\d+(?=\.[^.]*$)/, '')));
  const [name] = names;
  if (name !== undefined && names.size === 1) sum.filename = name;
  const [column, ...otherColumns] = new Set(jobs.flatMap((job) => job.email_column ?? []));
  if (column !== undefined && otherColumns.length === 0) sum.email_column = column;
  for (const name of summedFields) {
    const counts = jobs.map((job) => job[name]);
    // A partial sum would look complete.
    if (counts.every((count) => count !== undefined)) sum[name] = counts.reduce((total, count) => total + count, 0);
    else delete sum[name];
  }
  for (const name of addedCounts) {
    if (jobs.every((job) => job[name] === undefined)) continue;
    sum[name] = jobs.reduce((total, job) => total + (job[name] ?? 0), 0);
  }
  if (jobs.some((job) => job.retry_at !== undefined)) {
    sum.retry_at = jobs.flatMap((job) => job.retry_at ?? []).sort((one, other) => one - other)[0] ?? null;
  }
  const subCounts = jobs.map((job) => job.sub_status_counts);
  if (subCounts.every((counts) => counts !== undefined)) sum.sub_status_counts = sumReasons(subCounts);
  for (const name of ['created_at', 'started_at'] as const) {
    const times = jobs.flatMap((job) => job[name] ?? []).sort((one, other) => Date.parse(one) - Date.parse(other));
    if (times[0] !== undefined) sum[name] = times[0];
    else if (name === 'started_at' && jobs.some((job) => job.started_at === null)) sum.started_at = null;
  }
  if (jobs.some((job) => job.finished_at !== undefined)) {
    const times = jobs.map((job) => job.finished_at).filter((time) => time != null);
    times.sort((one, other) => Date.parse(one) - Date.parse(other));
    sum.finished_at = times.length === jobs.length ? (times.at(-1) ?? null) : null;
  }
  const [lastRunAt] = jobs.flatMap((job) => job.last_run_at ?? []).sort();
  if (lastRunAt !== undefined) sum.last_run_at = lastRunAt;
  if (jobs.some((job) => job.error !== undefined)) sum.error = jobs.find((job) => job.error != null)?.error ?? null;
  if (jobs.some((job) => job.resolver_down === true)) sum.resolver_down = true;
  return { ...sum, ...rateAndEta(jobs, sum), interrupted: areInterrupted(jobs) };
}

function sumReasons(all: readonly Record<string, number>[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const counts of all) {
    for (const [reason, times] of Object.entries(counts)) sums.set(reason, (sums.get(reason) ?? 0) + times);
  }
  return Object.fromEntries(sums);
}

function rateAndEta(jobs: readonly Job[], sum: Job): Pick<Job, 'rows_per_second' | 'eta_seconds'> {
  const { total, processed, waiting_count: waiting = 0 } = sum;
  const rate = jobs.reduce(
    (sum, job) => sum + (normalizeStatus(job.status) === 'running' ? (job.rows_per_second ?? 0) : 0),
    0,
  );
  if (rate > 0 && total !== undefined && processed !== undefined) {
    const rows = total - processed - waiting;
    const isKnown = rows > 0 && !jobs.every((job) => job.eta_seconds === null && !isFinalState(job.status));
    return { rows_per_second: rate, eta_seconds: isKnown ? Math.ceil(rows / rate) : null };
  }
  const pastRate = completedRate(sum);
  if (jobs.every((job) => job.eta_seconds === undefined)) return pastRate === null ? {} : { rows_per_second: pastRate };
  const etas = jobs.map((job) => job.eta_seconds).filter((seconds) => typeof seconds === 'number');
  return { rows_per_second: pastRate, eta_seconds: etas.length > 0 ? Math.max(...etas) : null };
}

/** The rate of a completed list from its start to its end; null if a time is missing, or if it ran more than once. */
function completedRate(sum: Job): number | null {
  const { status, processed = 0, started_at: start, finished_at: end, last_run_at } = sum;
  const { duplicate_count: duplicates = 0, empty_count: empty = 0 } = sum;
  const { suppressed_count: suppressed = 0, reused_count: reused = 0 } = sum;
  if (!isSucceeded(status) || start == null || end == null || last_run_at != null) return null;
  const seconds = (Date.parse(end) - Date.parse(start)) / 1000;
  const rows = rowsForRate({ rows: processed, duplicates, empty, suppressed, reused });
  return seconds > 0 && rows > 0 ? rows / seconds : null;
}

/** A live worker takes over the jobs of another. */
function areInterrupted(jobs: readonly Job[]): boolean {
  return jobs.some((job) => job.interrupted) && jobs.every((job) => job.interrupted || job.status !== 'running');
}

/** A list has started when one job has, and ends as its worst job. */
function sumState(jobs: readonly Job[]): string {
  const states = jobs.map((job) => normalizeStatus(job.status));
  const openStates = states.filter((word) => !isFinalState(word));
  if (openStates.includes('running')) return 'running';
  const otherState = openStates.find((word) => word !== 'queued');
  if (otherState !== undefined) return otherState;
  if (openStates.length > 0) return states.some((word) => succeeded.has(word)) ? 'running' : 'queued';
  if (states.some((word) => failed.has(word))) return 'failed';
  return states.some((word) => canceled.has(word)) ? 'canceled' : 'completed';
}

function normalizeStatus(status: string): string {
  return status
    .trim()
    .toLowerCase()
    .replace(/^(?:job|status)[_\s-]+/, '');
}

export interface FollowOptions extends CallOptions {
  intervalMs?: number;
  onProgress?: (jobs: readonly Job[]) => void;
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

/** Polls jobs until all have ended, and returns them. Tolerates transient failures. */
export async function followJobs(fetchJobs: () => Promise<Job[]>, options: FollowOptions = {}): Promise<Job[]> {
  const { intervalMs = 2_000, onProgress = () => {}, onRetry = () => {}, clock = systemClock, signal } = options;
  let followed: Job | null = null;
  for (let misses = 0; ; ) {
    let pauseMs = intervalMs;
    try {
      const jobs = await fetchJobs();
      misses = 0;
      onProgress(jobs);
      if (jobs.every((job) => isFinalState(job.status))) return jobs;
      followed = sumJobs(jobs);
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
  { command = plainCommand, resultFlags = [] }: FollowOptions,
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

function plainCommand(...words: string[]): string {
  return ['mailvet', ...words.map((word) => shellWord(word))].join(' ');
}

function isTransient(error: unknown): error is Failure {
  return error instanceof Failure && ['network', 'unavailable', 'rate_limited', 'remote_error'].includes(error.code);
}

/**
 * The same rows, and a Failure at their end if some are missing: a response that ends with its connection (RFC 9112
 * §6.3) looks complete when cut between two lines.
 */
export function requireAllRows(results: JobResults, { id, processed = 0 }: Job): JobResults {
  async function* rows(): JobResults['rows'] {
    let received = 0;
    for await (const batch of results.rows) {
      received += batch.length;
      yield batch;
    }
    if (received >= processed) return;
    throw new Failure(
      'network',
      `The service sent ${formatNumber(received)} of ${formatAmount(processed, 'row')} of the job.`,
      {
        hint: `Fetch them again with: mailvet jobs results ${shellWord(id)}`,
      },
    );
  }
  return { ...results, rows: rows() };
}
