import { type Caller, localCaller } from '../../async/caller.js';
import type { JobState, RowVerdict } from '../../model/job.js';
import type { CountWord } from '../../model/result.js';
import type { FileReading } from '../../model/service.js';

/** The owner of uploads and jobs of the command line. Those of an API key are owned by its id. */
export const localOwner = 'local';

/** The caller of work for an owner's job or upload; a command has the machine to itself. */
export function callerOfJob(owner: string, taskId = ''): Caller {
  return owner === localOwner ? localCaller : { priority: 'job', owner, taskId };
}

/** A file that was previewed and may be confirmed. */
export interface UploadRecord {
  id: string;
  owner: string;
  filename: string;
  /** The path of the file, copied when confirmed; null if the store already has it. */
  source: string | null;
  sourceSize: number | null;
  /** When the source last changed, in ms. */
  sourceChanged: number | null;
  columns: string[];
  /** How to read the file if its content does not say. */
  reading: FileReading;
  rowCount: number | null;
  rowCountExact: boolean;
  createdAt: number;
  /** Set once confirmed. */
  jobId: string | null;
}

/** A job to create: the rows of one upload. */
export interface NewJob {
  id: string;
  owner: string;
  uploadId: string;
  filename: string;
  emailColumn: string;
  /** For the worker; opaque here. */
  options: Record<string, unknown>;
  total: number;
  uniqueTotal: number;
  createdAt: number;
}

type JobCounts = Record<'processed' | CountWord, number>;

/** Rows of a job that were deleted with their address: in all, those that had an answer, and how these were counted. */
export interface ForgottenRows {
  rows: number;
  answered: number;
  counts: Record<CountWord, number>;
  subCounts: Record<string, number>;
}

export const nothingForgotten: ForgottenRows = {
  ...{ rows: 0, answered: 0, subCounts: {} },
  counts: { valid: 0, invalid: 0, risky: 0, unknown: 0, duplicate: 0 },
};

/** Times are in ms since 1970. */
export interface JobRecord extends NewJob, JobCounts {
  /** Increases in order of creation. */
  num: number;
  state: JobState;
  /** Credits that are kept for the job, or were used by it; null if it costs none. */
  reserved: number | null;
  subCounts: Record<string, number>;
  /** True if the resolver did not answer, or denied everything, while some rows got no answer from DNS. */
  resolverDown: boolean;
  /** Mailboxes whose verdicts came from earlier runs. */
  reused: number;
  /** Rows that were deleted with their address; the other counts include them. */
  forgotten: ForgottenRows;
  startedAt: number | null;
  finishedAt: number | null;
  runStartedAt: number | null;
  /** `processed` at the start of the current run. */
  runBase: number;
  error: string | null;
  worker: string | null;
  leaseUntil: number | null;
  /** True if it is queued or running without a worker: its worker is dead, or has released it. */
  interrupted: boolean;
  /** How many workers died while they ran it, since rows were last saved. */
  crashes: number;
  /** Rows whose mail server said "try later", and when the next of them is due. */
  waiting: number;
  nextRetryAt: number | null;
}

/** Rows of a slice. */
export const sliceRows = 1_000;

/** How long waiting rows are left to a silent worker: it may be restarted. */
export const waitForHomeMs = 2 * 60_000;

/** A job that a worker claimed, or one of its slices. */
export interface ClaimedJob extends JobRecord {
  /** Null: all rows of the job. */
  slice: ClaimedSlice | null;
}

interface ClaimedSlice {
  place: number;
  /** Its rows. */
  first: number;
  rows: number;
  /** Workers that mail servers refused on it. */
  avoid: readonly string[];
}

/** A job as its row tells it. Each store finds out in its own way whether the worker is dead. */
export type StoredJob = Omit<JobRecord, 'interrupted'>;

export interface RowResult {
  /** Counted from 0 within the job. */
  row: number;
  verdict: RowVerdict;
  /** The same mailbox is in an earlier row of this job. */
  duplicate: boolean;
  /** Set while the row is to be retried: ms since 1970. */
  retryAt: number | null;
  /** When its mail server first said "try later"; set with `retryAt`. */
  refusedAt: number | null;
  /** The worker that it said so to, set with `retryAt`: another one would start over. */
  home?: string | undefined;
  /** The verdict is of an earlier run; counted in `reused` of the job. */
  reused?: true;
}

/** Rows of a job whose mail server said "try later", and when the next is due. */
export interface Waits {
  rows: number;
  nextAt: number | null;
}

/** How a worker gives back a slice with open rows. */
export interface Release {
  /** The worker of the next row that is due, if only rows are left that wait. */
  home?: string;
  /** When that row is due. */
  delayMs?: number;
  /** Its own name, if mail servers refuse it: another worker is to ask them. */
  avoid?: string;
  /** Its own name, if it failed on the slice. */
  ended?: string;
}

/** A thousand rows of a job. */
export interface SliceRef {
  job: number;
  place: number;
  /** Differs each time that the slice is queued. */
  generation: number;
}

/** How rows were counted that a commit or a slice adds. */
export interface AddedCounts {
  counts: JobCounts & { reused: number; resolverDown: number };
  subCounts: Record<string, number>;
}

/** The job with these counts added to its own. */
export function withCounts<Job extends StoredJob>(job: Job, added: readonly AddedCounts[]): Job {
  const { processed, valid, invalid, risky, unknown, duplicate, reused } = job;
  const own = { processed, valid, invalid, risky, unknown, duplicate, reused, resolverDown: Number(job.resolverDown) };
  const { resolverDown, ...counts } = sumCounts([own, ...added.map((each) => each.counts)]);
  const subCounts = sumCounts([job.subCounts, ...added.map((each) => each.subCounts)]);
  return { ...job, ...counts, resolverDown: resolverDown > 0, subCounts };
}

/** One commit of a running job: results, their counts, and the renewed lease. */
export interface Batch extends AddedCounts {
  jobId: string;
  worker: string;
  results: readonly RowResult[];
  /** Canonical addresses and their verdicts, to be reused by later runs. */
  answers: { scope: string; entries: readonly { key: string; answer: RowVerdict }[] };
  /** Rows that are deferred after this commit, and when the next is due. */
  waits: Waits;
  now: number;
  leaseUntil: number;
}

export interface JobFilter {
  owner?: string;
  jobId?: string;
  /** The only level of command-line jobs to take; null: take none of them. Absent: take all. */
  commandLineLevel?: string | null;
  /** Only this slice. */
  slice?: SliceRef;
  /** A job with this many crashes fails instead of being claimed. Absent: no limit. */
  maxCrashes?: number;
}

/** The level of a job; verdicts are reused only within one level. */
export function levelOf({ options }: Pick<JobRecord, 'options'>): string {
  return typeof options['cacheScope'] === 'string' ? options['cacheScope'] : '';
}

/** Whether the filter allows the level of the job: a worker must not check more than the command line requested. */
export function isForLevel(job: Pick<JobRecord, 'owner' | 'options'>, { commandLineLevel }: JobFilter): boolean {
  return commandLineLevel === undefined || job.owner !== localOwner || levelOf(job) === commandLineLevel;
}

/** Adds up counts by name. */
function sumCounts<Name extends string>(all: readonly Partial<Record<Name, number>>[]): Record<Name, number> {
  const sums: Partial<Record<Name, number>> = {};
  for (const counts of all)
    for (const name of Object.keys(counts) as Name[]) sums[name] = (sums[name] ?? 0) + (counts[name] ?? 0);
  return sums as Record<Name, number>;
}

/** The sum of both. */
export function addForgotten(one: ForgottenRows, other: ForgottenRows): ForgottenRows {
  return {
    ...{ rows: one.rows + other.rows, answered: one.answered + other.answered },
    counts: sumCounts([one.counts, other.counts]),
    subCounts: sumCounts([one.subCounts, other.subCounts]),
  };
}
