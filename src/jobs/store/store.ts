import type { JobState, RowVerdict } from '../../model/job.js';
import type { CountWord } from '../../model/result.js';
import type { FileReading } from '../../model/service.js';
import type { ClusterStats } from './cluster-stats.js';
import type { KeyStore } from './keys.js';
import type { AuditStore, MemberStore } from './members.js';
import type { SessionStore } from './sessions.js';
import type { UsageStore } from './usage.js';
import type { WebhookStore } from './webhooks.js';

/** The owner of uploads and jobs of the command line. Those of an API key are owned by its id. */
export const localOwner = 'local';

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
  groupId: string | null;
}

/** A job to create. The jobs of one upload share a group; a single job is its own group. */
export interface NewJob {
  id: string;
  groupId: string;
  part: number;
  parts: number;
  owner: string;
  uploadId: string;
  filename: string;
  emailColumn: string;
  /** For the worker; opaque here. */
  options: Record<string, unknown>;
  firstRow: number;
  total: number;
  uniqueTotal: number;
  createdAt: number;
}

interface JobCounts {
  processed: number;
  valid: number;
  invalid: number;
  risky: number;
  unknown: number;
  duplicate: number;
}

/** Deleted rows: in all, those that had an answer, and how these were counted. */
export interface ForgottenRows {
  rows: number;
  answered: number;
  counts: Record<CountWord, number>;
  subCounts: Record<string, number>;
}

/** Times are in ms since 1970. */
export interface JobRecord extends NewJob, JobCounts {
  /** Increases in order of creation. */
  num: number;
  state: JobState;
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
  /** The verdict is of an earlier run; counted in `reused` of the job. */
  reused?: true;
}

/** An answer of an earlier run; null: it was sent, and never answered. */
export interface StoredAnswer {
  checkedAt: number;
  answer: Record<string, unknown> | null;
}

/** One commit of a running job: results, their counts, and the renewed lease. */
export interface Batch {
  jobId: string;
  worker: string;
  results: readonly RowResult[];
  counts: JobCounts;
  subCounts: ReadonlyMap<string, number>;
  /** The resolver was down while some of these rows got no answer from DNS. */
  resolverDown?: boolean;
  /** How many of these results came from the cache. */
  reused?: number;
  /** Canonical addresses and their verdicts, to be reused by later runs. */
  answers: { scope: string; entries: readonly { key: string; answer: RowVerdict }[] };
  /** The canonical addresses that were probed. */
  probedEmails?: readonly string[];
  /** Rows that are deferred after this commit, and when the next is due; absent: none. */
  waits?: { rows: number; nextAt: number | null };
  now: number;
  leaseUntil: number;
}

export interface UploadStore {
  addUpload(upload: UploadRecord): Promise<void>;
  getUpload(owner: string, id: string): Promise<UploadRecord | null>;
  /** Creates the jobs, or returns those of an earlier confirmation. With `charge`, reserves a credit for each unique address, or fails with `no_credits`. */
  confirmUpload(uploadId: string, jobs: readonly NewJob[], charge: boolean): Promise<JobRecord[]>;
  /** The number and total size of the owner's unconfirmed uploads. */
  unconfirmed(owner: string): Promise<{ uploads: number; bytes: number }>;
  /** Called after the file of an upload was rewritten: changes the id, and how the upload and its jobs read the file. */
  replaceUpload(
    id: string,
    upload: Pick<UploadRecord, 'id' | 'reading' | 'columns'>,
    emailColumn: string,
  ): Promise<void>;
  /** The ids of all uploads and jobs, which their files are named by. */
  fileIds(): Promise<ReadonlySet<string>>;
  /** Deletes unconfirmed uploads created before that time and returns their ids. */
  expireUploads(createdBefore: number): Promise<string[]>;
}

export interface JobStoreQueries {
  /** Lists, newest first, of one owner or of all (null); the jobs of a list are one record. A member also has those of their keys. `search` is a part of the file name, ignoring case. */
  listJobs(
    owner: string | null,
    page: { skip: number; limit: number; state?: JobState; search?: string; createdSince?: number },
  ): Promise<{ jobs: JobRecord[]; total: number }>;
  /** The counts of all owners together. */
  countJobs(): Promise<Record<JobState, number>>;
  /** Returns a list by its id, whatever the number of its jobs, or one of several jobs by the job's own id. */
  getJob(owner: string, id: string): Promise<JobRecord | null>;
  /** The owner of a job, a group of jobs or an upload; null if there is none. */
  ownerOf(id: string): Promise<string | null>;
  /** The jobs that `getJob` returns as one, in order. */
  jobsOfGroup(owner: string, id: string): Promise<JobRecord[]>;
  /** In the order of commit; a later result of a row replaces an earlier one. */
  loadResults(jobId: string): Promise<RowResult[]>;
  /** Verdicts only, page by page, from 0 until `next` is null. A null verdict cancels an earlier one. */
  readVerdicts(jobId: string, from: number): Promise<VerdictPage>;
  /** Deletes these suggested spellings from the results of a job. */
  forgetSuggestions(jobId: string, suggestions: ReadonlySet<string>): Promise<void>;
  /** Records that rows were deleted with their address. */
  addForgotten(jobId: string, rows: ForgottenRows): Promise<void>;
}

/** The verdicts of some commits of a job. */
export interface VerdictPage {
  /** Rows, and their verdicts at the same index. Equal verdicts share one object. */
  rows: number[];
  verdicts: (RowVerdict | null)[];
  /** The cursor of the next page; null at the end. */
  next: number | null;
}

export interface JobTransitions {
  /** Records who will run the queued jobs of a list, so that its death is noticed. A cluster runs them in any case. */
  announceWorker(worker: string, filter: JobFilter): Promise<void>;
  /** Assigns the worker a job that is queued, or whose last worker is dead or did not write for a whole lease; null if there is none. */
  claimJob(worker: string, leaseUntil: number, now: number, filter?: JobFilter): Promise<JobRecord | null>;
  /** Commits a batch. False, and nothing is written, if the job is no longer this worker's. */
  saveBatch(batch: Batch): Promise<boolean>;
  /** Ends the job and settles its credits; false if it is no longer this worker's. */
  finishJob(
    jobId: string,
    worker: string,
    state: 'completed' | 'failed',
    now: number,
    error?: string,
  ): Promise<boolean>;
  /** Queues the job again, for any worker. */
  releaseJob(jobId: string, worker: string): Promise<void>;
  /** Cancels the jobs of a list that have not ended, and refunds what was not validated. */
  cancelJob(owner: string, id: string, now: number): Promise<JobRecord | null>;
  /** Cancels all jobs of an owner that have not ended. */
  cancelJobsOf(owner: string, now: number): Promise<void>;
  /** Deletes an ended list and its results; null if there is none. The last job of an upload deletes the upload, too. */
  deleteJob(owner: string, id: string): Promise<DeletedJob | null>;
  /** Queues a job that ended before its last row, or whose unknown rows are to be validated again. */
  resumeJob(owner: string, id: string, onlyUnknown: boolean): Promise<JobRecord | null>;
  /** Deletes the jobs that were idle since then, of one owner, or of all (null) but one, and returns them. */
  pruneJobs(owner: string | null, idleSince: number, exceptOwner?: string): Promise<JobRecord[]>;
}

export interface DeletedJob {
  job: JobRecord;
  /** The ids of the jobs that it consisted of. */
  partIds: string[];
  /** True if the upload was deleted with its last job. */
  isUploadDeleted: boolean;
}

export interface JobFilter {
  owner?: string;
  groupId?: string;
  /** The only level of command-line jobs to take; null: take none of them. Absent: take all. */
  commandLineLevel?: string | null;
  /** A job with this many crashes fails instead of being claimed. Absent: no limit. */
  maxCrashes?: number;
}

/** What is remembered of earlier runs, by scope and mailbox. Addresses are not stored in clear. */
export interface AnswerStore {
  findAnswers(scope: string, keys: readonly string[]): Promise<Map<string, StoredAnswer>>;
  addAnswers(scope: string, entries: readonly { key: string; answer: object | null }[], now: number): Promise<void>;
  /** Deletes those of the keys, or all of the scope, and returns how many. */
  dropAnswers(scope: string, keys: readonly string[] | null): Promise<number>;
  pruneAnswers(checkedBefore: number): Promise<number>;
  /** Deletes the answers of a mailbox, in all spellings, and returns how many. */
  forgetAnswers(mailbox: string): Promise<number>;
}

/** How long the lists of a server are kept. */
export interface RetentionStore {
  /** Days after their end; null: until they are deleted; undefined: an administrator has not set it. */
  keepDays(): Promise<number | null | undefined>;
  setKeepDays(days: number | null): Promise<void>;
}

/** All persistent state. */
export interface JobStore
  extends UploadStore,
    JobStoreQueries,
    JobTransitions,
    AnswerStore,
    KeyStore,
    SessionStore,
    MemberStore,
    AuditStore,
    WebhookStore,
    UsageStore,
    RetentionStore {
  /** Stats of the processes that share the store; null if it is on this machine only. */
  clusterStats: (() => Promise<ClusterStats>) | null;
  /** Returns unused space to the disk if it is worth the work. */
  compact(): Promise<void>;
  /** A string that changes when any process changes a key or queues a job; null if changes are not tracked. Cheap to read. */
  changeToken(): string | null;
  /** Fails if the store cannot be written. */
  checkWritable(): Promise<void>;
  /** Reads the whole store, and lists the damage. */
  check(): Promise<string[]>;
  close(): Promise<void>;
}

/** The level of a job; verdicts are reused only within one level. */
export function levelOf({ options }: Pick<JobRecord, 'options'>): string {
  return typeof options['cacheScope'] === 'string' ? options['cacheScope'] : '';
}

/** Whether the filter allows the level of the job: a worker must not check more than the command line requested. */
export function isForLevel(job: Pick<JobRecord, 'owner' | 'options'>, { commandLineLevel }: JobFilter): boolean {
  return commandLineLevel === undefined || job.owner !== localOwner || levelOf(job) === commandLineLevel;
}
