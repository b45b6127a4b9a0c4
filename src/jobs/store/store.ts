import type { JobState, RowVerdict } from '../../model/job.js';
import type { FileReading } from '../../model/service.js';
import type { ClusterStats } from './cluster-stats.js';
import type { KeyStore } from './keys.js';
import type { SessionStore } from './sessions.js';
import type { UsageStore } from './usage.js';

/** The owner of everything the command line makes; a server's keys own theirs by their id. */
export const localOwner = 'local';

/** A file that was previewed and may be confirmed. */
export interface UploadRecord {
  id: string;
  owner: string;
  filename: string;
  /** Where the file still lies, to be copied when confirmed; null where the store holds it already. */
  source: string | null;
  sourceSize: number | null;
  /** When the source last changed, in ms. */
  sourceChanged: number | null;
  columns: string[];
  /** How it is read, where what is in it does not tell. */
  reading: FileReading;
  rowCount: number | null;
  rowCountExact: boolean;
  createdAt: number;
  /** Set once confirmed. */
  groupId: string | null;
}

/** What a job is made of. Jobs of one upload share its group; a lone job's group is itself. */
export interface NewJob {
  id: string;
  groupId: string;
  part: number;
  parts: number;
  owner: string;
  uploadId: string;
  filename: string;
  emailColumn: string;
  /** Whatever the worker needs to know again; opaque here. */
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

/** Times are in ms since 1970. */
export interface JobRecord extends NewJob, JobCounts {
  /** Orders jobs by age. */
  num: number;
  state: JobState;
  subCounts: Record<string, number>;
  /** The resolver answered nobody, or denied everything, when DNS told nothing about some of its rows. */
  resolverDown: boolean;
  /** Mailboxes whose verdicts came from earlier runs. */
  reused: number;
  startedAt: number | null;
  finishedAt: number | null;
  runStartedAt: number | null;
  /** `processed` when the current run began. */
  runBase: number;
  error: string | null;
  worker: string | null;
  leaseUntil: number | null;
  /** It looks as if it ran, but its worker is dead. */
  interrupted: boolean;
  /** Rows whose mail server said "try later", and when the next of them is due. */
  waiting: number;
  nextRetryAt: number | null;
}

/** The verdict on one row of a job. */
export interface RowResult {
  /** Counted from 0 within the job. */
  row: number;
  verdict: RowVerdict;
  /** The same mailbox came earlier in this job. */
  duplicate: boolean;
  /** Set while the row is to be asked again: ms since 1970. */
  retryAt: number | null;
  /** When its mail server first said "try later"; set with `retryAt`. */
  refusedAt: number | null;
}

export interface CachedVerdict {
  verdict: RowVerdict;
  checkedAt: number;
}

/** One commit of a running job: results, the counts they add, and a longer lease. */
export interface Batch {
  jobId: string;
  worker: string;
  results: readonly RowResult[];
  counts: JobCounts;
  subCounts: ReadonlyMap<string, number>;
  /** The resolver was down when DNS told nothing about some of these results. */
  resolverDown?: boolean;
  /** Of these results, those that came from earlier runs. */
  reused?: number;
  /** Canonical addresses, to be remembered with their verdicts. */
  cache: { scope: string; entries: readonly { email: string; verdict: RowVerdict }[] };
  /** The mailboxes of these results that mail servers were asked for, by their canonical addresses. */
  asked?: readonly string[];
  /** Rows that wait for their mail servers after this commit, and when the next of them is due; absent: none. */
  waits?: { rows: number; nextAt: number | null };
  now: number;
  leaseUntil: number;
}

export interface UploadStore {
  addUpload(upload: UploadRecord): Promise<void>;
  getUpload(owner: string, id: string): Promise<UploadRecord | null>;
  /** Makes the jobs, or gives those that an earlier confirmation made. With `charge`, reserves one credit a unique address of the owner's key, or fails with `no_credits`. */
  confirmUpload(uploadId: string, jobs: readonly NewJob[], charge: boolean): Promise<JobRecord[]>;
  /** How many uploads of the owner wait to be confirmed, and how many bytes they have. */
  unconfirmed(owner: string): Promise<{ uploads: number; bytes: number }>;
  /** Forgets unconfirmed uploads made before `before`, and gives their ids. */
  expireUploads(before: number): Promise<string[]>;
}

export interface JobStoreQueries {
  /** Newest first, of one owner or of all (null). `search` is a part of the file name, in whatever case. */
  listJobs(
    owner: string | null,
    page: { skip: number; limit: number; state?: JobState; search?: string },
  ): Promise<{ jobs: JobRecord[]; total: number }>;
  /** Of all owners together. */
  countJobs(): Promise<Record<JobState, number>>;
  getJob(owner: string, id: string): Promise<JobRecord | null>;
  /** Whose job, group of jobs or upload it is; null where there is none. */
  ownerOf(id: string): Promise<string | null>;
  /** Who runs jobs now, and how many each. */
  workers(): Promise<{ worker: string; jobs: number }[]>;
  /** The jobs of a group in order; a lone job by its own id. */
  jobsOfGroup(owner: string, groupId: string): Promise<JobRecord[]>;
  /** In the order of commit; a later result of a row replaces an earlier one. */
  loadResults(jobId: string): Promise<RowResult[]>;
  /** The same for those who only show them, some commits at a time, from 0 on until `next` is null. A null verdict takes back an earlier one. */
  readVerdicts(jobId: string, from: number): Promise<VerdictPage>;
}

/** The verdicts of some commits of a job. */
export interface VerdictPage {
  /** Each row and, at the same place, the verdict on it, which rows with the same one share. */
  rows: number[];
  verdicts: (RowVerdict | null)[];
  /** Where to read on; null at the end. */
  next: number | null;
}

export interface JobTransitions {
  /** The oldest job that waits, or whose worker is dead or has been silent for a whole lease while we watched, of those `only` allows, given to `worker`; null where there is none. */
  claimJob(worker: string, leaseUntil: number, now: number, only?: JobFilter): Promise<JobRecord | null>;
  /** Commits a batch; false where the job is no longer this worker's, and then nothing was written. */
  saveBatch(batch: Batch): Promise<boolean>;
  /** Ends the job and settles its credits; false where it is no longer this worker's. */
  finishJob(
    jobId: string,
    worker: string,
    state: 'completed' | 'failed',
    now: number,
    error?: string,
  ): Promise<boolean>;
  /** Gives the job back, to be continued by any worker. */
  releaseJob(jobId: string, worker: string): Promise<void>;
  /** Cancels a job that has not ended, and refunds what was not validated. */
  cancelJob(owner: string, id: string, now: number): Promise<JobRecord | null>;
  /** Forgets a job that has ended, with its results; null where there is none that has. With the last job of an upload the upload goes, too. */
  deleteJob(owner: string, id: string): Promise<{ job: JobRecord; isLast: boolean } | null>;
  /** Queues a job that ended before its last row, or whose unknown rows are to be asked again. */
  resumeJob(owner: string, id: string, redoUnknown: boolean): Promise<JobRecord | null>;
  /** Forgets jobs that ended, or that nobody has worked on, since `before`, and gives them; of one owner, or of all (null). */
  pruneJobs(owner: string | null, before: number): Promise<JobRecord[]>;
}

export interface JobFilter {
  owner?: string;
  groupId?: string;
  /** Of the jobs of the command line only those that are to look this deep; null: none. Without it, all. */
  commandLineLevel?: string | null;
}

export interface VerdictCache {
  cached(scope: string, emails: readonly string[]): Promise<Map<string, CachedVerdict>>;
  pruneCache(before: number): Promise<number>;
}

/** All that outlives a process. */
export interface JobStore
  extends UploadStore,
    JobStoreQueries,
    JobTransitions,
    VerdictCache,
    KeyStore,
    SessionStore,
    UsageStore {
  /** Who shares the store, and what they do; null where one machine has it for itself. */
  clusterFigures: (() => Promise<ClusterStats>) | null;
  /** Gives the space of what was forgotten back to the disk, where it is worth it. */
  compact(): Promise<void>;
  /** Cheap: the same only while nobody, in whichever process, has changed a key or made a job wait for a worker; null where that cannot be told just now. */
  changeMark(): string | null;
  /** Writes and changes nothing; fails where nothing can be written. */
  checkWritable(): Promise<void>;
  /** For doctor: reads the whole file; an empty list is good news. */
  check(): Promise<string[]>;
  close(): Promise<void>;
}
