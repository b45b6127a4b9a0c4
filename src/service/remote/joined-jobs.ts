import type { Job } from '../../model/job.js';
import { countWords } from '../../model/result.js';
import type { CallOptions, ValidationService } from '../../model/service.js';
import { isCanceled, isFailed, isFinalState, isSucceeded, normalizeStatus } from '../job-states.js';

type JobOperations = Pick<ValidationService, 'getJob' | 'jobResults' | 'cancelJob' | 'deleteJob' | 'resumeJob'>;

/**
 * The operations on jobs of a service, in which a list that was sent as several jobs is one: its id is theirs, joined by
 * commas.
 */
export function joinJobs(single: JobOperations): JobOperations {
  /** Jobs that have ended are not asked for again. */
  const ended = new Map<string, Job>();
  const partsOf = async (id: string, call?: CallOptions): Promise<Job[]> => {
    const parts: Job[] = [];
    for (const each of id.split(',')) {
      const job = ended.get(each) ?? (await single.getJob(each, call));
      if (isFinalState(job.status)) ended.set(each, job);
      parts.push(job);
    }
    return parts;
  };
  const isJoined = (id: string): boolean => id.includes(',');
  /** Changes the jobs one after the other, but for those that `isLeft`. */
  const onEach =
    (act: 'cancelJob' | 'deleteJob' | 'resumeJob', isLeft = (_: string): boolean => false) =>
    async (id: string, call?: CallOptions): Promise<Job> => {
      if (!isJoined(id)) return single[act](id, call);
      const parts = await partsOf(id);
      for (const [index, job] of parts.entries()) {
        if (isLeft(job.status)) continue;
        ended.delete(job.id);
        parts[index] = await single[act](job.id, call);
      }
      return sumJobs(parts);
    };
  return {
    getJob: async (id, call) => (isJoined(id) ? sumJobs(await partsOf(id, call)) : single.getJob(id, call)),
    jobResults: async (id, call) => {
      const [first = id, ...others] = id.split(',');
      const head = await single.jobResults(first, call);
      async function* rows(): typeof head.rows {
        yield* head.rows;
        for (const other of others) yield* (await single.jobResults(other, call)).rows;
      }
      return others.length === 0 ? head : { ...head, rows: rows() };
    },
    cancelJob: onEach('cancelJob', isFinalState),
    deleteJob: onEach('deleteJob'),
    resumeJob: onEach('resumeJob', isSucceeded),
  };
}

const verdictCounts = countWords.map((word) => `${word}_count` as const);
const summedFields = ['total', 'processed', 'credits_used', ...verdictCounts] as const;
const addedCounts = ['empty_count', 'suppressed_count', 'reused_count', 'forgotten_count', 'waiting_count'] as const;

/** Combines the jobs of a list. A count is present only if every job has it; the list ends when all jobs have ended. */
export function sumJobs(jobs: readonly Job[]): Job {
  const [first] = jobs;
  if (first === undefined || jobs.length === 1) return first ?? { id: '', status: 'unknown' };
  const sum: Job = { id: jobs.flatMap((job) => job.id || []).join(','), status: sumState(jobs), jobs };
  // Parts are numbered in their names.
  const [name, ...otherNames] = new Set(jobs.map(({ filename }) => filename?.replace(/\.part-\d+(?=\.[^.]*$)/, '')));
  if (name !== undefined && otherNames.length === 0) sum.filename = name;
  const [column, ...otherColumns] = new Set(jobs.flatMap((job) => job.email_column ?? []));
  if (column !== undefined && otherColumns.length === 0) sum.email_column = column;
  for (const name of summedFields) {
    const counts = jobs.map((job) => job[name]);
    // A partial sum would look complete.
    if (counts.every((count) => count !== undefined)) sum[name] = counts.reduce((total, count) => total + count, 0);
  }
  for (const name of addedCounts) {
    if (jobs.every((job) => job[name] === undefined)) continue;
    sum[name] = jobs.reduce((total, job) => total + (job[name] ?? 0), 0);
  }
  const retries = jobs.flatMap((job) => job.retry_at ?? []);
  if (retries.length > 0) sum.retry_at = Math.min(...retries);
  const subCounts = jobs.map((job) => job.sub_status_counts);
  if (subCounts.every((counts) => counts !== undefined)) {
    const sums = new Map<string, number>();
    for (const [reason, times] of subCounts.flatMap(Object.entries<number>))
      sums.set(reason, (sums.get(reason) ?? 0) + times);
    sum.sub_status_counts = Object.fromEntries(sums);
  }
  for (const name of ['created_at', 'started_at', 'last_run_at'] as const) {
    const [first] = timesOf(jobs, name);
    if (first !== undefined) sum[name] = first;
  }
  const ends = timesOf(jobs, 'finished_at');
  if (ends.length === jobs.length) sum.finished_at = ends.at(-1) ?? null;
  sum.error = jobs.find((job) => job.error != null)?.error ?? null;
  if (jobs.some((job) => job.resolver_down === true)) sum.resolver_down = true;
  // A live worker takes over the jobs of another.
  const isRun = jobs.some((job) => !job.interrupted && job.status === 'running');
  return { ...sum, ...rateAndEta(jobs, sum), interrupted: !isRun && jobs.some((job) => job.interrupted) };
}

/** The times that are known, earliest first. */
function timesOf(jobs: readonly Job[], name: 'created_at' | 'started_at' | 'last_run_at' | 'finished_at'): string[] {
  return jobs.flatMap((job) => job[name] ?? []).sort((one, other) => Date.parse(one) - Date.parse(other));
}

function rateAndEta(jobs: readonly Job[], sum: Job): Pick<Job, 'rows_per_second' | 'eta_seconds'> {
  const { total, processed, waiting_count: waiting = 0 } = sum;
  const running = jobs.filter(({ status }) => normalizeStatus(status) === 'running');
  const rate = running.reduce((total, job) => total + (job.rows_per_second ?? 0), 0);
  if (rate > 0 && total !== undefined && processed !== undefined) {
    const rows = total - processed - waiting;
    const isKnown = rows > 0 && !jobs.every((job) => job.eta_seconds === null && !isFinalState(job.status));
    return { rows_per_second: rate, eta_seconds: isKnown ? Math.ceil(rows / rate) : null };
  }
  if (jobs.every((job) => job.eta_seconds === undefined)) return {};
  const etas = jobs.map((job) => job.eta_seconds).filter((seconds) => typeof seconds === 'number');
  return { rows_per_second: null, eta_seconds: etas.length > 0 ? Math.max(...etas) : null };
}

/** A list has started when one job has, and ends as its worst job. */
function sumState(jobs: readonly Job[]): string {
  const states = jobs.map((job) => normalizeStatus(job.status));
  const openStates = states.filter((word) => !isFinalState(word));
  if (openStates.includes('running')) return 'running';
  const otherState = openStates.find((word) => word !== 'queued');
  if (otherState !== undefined) return otherState;
  if (openStates.length > 0) return states.some(isSucceeded) ? 'running' : 'queued';
  if (states.some(isFailed)) return 'failed';
  return states.some(isCanceled) ? 'canceled' : 'completed';
}
