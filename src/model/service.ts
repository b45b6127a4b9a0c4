import type { Level } from './evidence.js';
import type { ForgetReport, Job, JobPage, JobResults, JobState, UploadPreview } from './job.js';
import type { BulkAnswer, Counts, ValidationResult } from './result.js';

export interface UploadFile {
  path: string;
  /** The name to show; never used as a path. */
  filename: string;
}

/** How to read a file if detection is not enough. Stored with the upload, so that the job reads it like the preview. */
export interface FileReading {
  /** `text` is anything with addresses in it. */
  format?: 'lines' | 'csv' | 'json' | 'ndjson' | 'text';
  /** A TextDecoder label. */
  encoding?: string;
  /** The user's language, for cells that are not UTF-8. */
  language?: string;
  /** The sheet of a workbook; the first unless it is named. */
  sheet?: string;
  /** What was left out of a stored sheet, such as other sheets, or nothing; undefined for any other list. */
  warnings?: readonly string[];
  /** The line of the header, from 1; 0: the first row is data. */
  header?: number;
  /** Only the first rows. */
  limit?: number;
}

/** The step in progress: a DNS lookup, a probe, or a request to the remote service. */
export interface Step {
  asking: 'dns' | 'mailbox' | 'service';
  target: string;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** How many times a failed request is repeated, other than the setting says. Remote services only. */
  retries?: number | undefined;
}

export interface ValidateOptions extends CallOptions {
  /** Attach the evidence, if the back end has it. */
  explain?: boolean | undefined;
  /** Check no deeper than this. */
  level?: Level | undefined;
  /** Answer by then with what is known, as `timeout_exceeded` with the reason `fail_open`. Bundled engine only. */
  timeoutMs?: number | undefined;
  onStep?: ((step: Step) => void) | undefined;
}

/** The current progress of a run. */
export interface RunProgress {
  answered(): number;
  /** The counts of what is answered. */
  counts(): Counts;
  /** Answers of an earlier run, or of an earlier start of this one. */
  reused(): number;
  /** The number of addresses that wait for a retry. */
  waiting(): number;
  /** The next retry in Unix milliseconds; null if none waits. */
  nextAt(): number | null;
}

export interface BulkOptions extends Omit<ValidateOptions, 'onStep' | 'timeoutMs'> {
  /** Probes without an answer by then are reported as timed out; local back end only. */
  deadlineMs?: number | undefined;
}

/** Addresses in chunks of any size. */
export type EmailChunks = AsyncIterable<readonly string[]> | Iterable<readonly string[]>;

/** Notes about a file that was read: its columns, and anything unusual. */
export interface ReadReport {
  notes: string[];
  /** Shown even with --quiet. */
  warnings: string[];
}

interface PreviewOptions extends CallOptions {
  reading?: FileReading | undefined;
}

export interface ConfirmUploadOptions extends CallOptions {
  /** Indexes of the columns to vet, if the name is ambiguous or there are several. */
  columns?: readonly number[] | undefined;
  /** Called when the whole file has been read. */
  onRead?: ((report: ReadReport) => void) | undefined;
  /** Reuse verdicts up to this age; unknown ones expire sooner. */
  maxAgeMs?: number | undefined;
  /** The list that this one checks again. */
  earlierId?: string | undefined;
  /** Settings for the worker, stored with the job. */
  settings?: Record<string, unknown> | undefined;
}

/** Operations on local jobs. */
export interface JobControl {
  /** The settings given to `confirmUpload`. */
  settingsOf(id: string): Promise<Record<string, unknown>>;
  /** Runs a job until it has ended or the signal aborts; waits for one of another process. */
  work(id: string, options?: CallOptions & { onProgress?: ((job: Job) => void) | undefined }): Promise<Job>;
  /** Records the process that was started to run a job, so that its death is noticed. */
  assignWorker(id: string, pid: number): Promise<void>;
  /** Deletes an address from the lists of all owners that have ended, and from the cached verdicts. */
  forget(email: string): Promise<ForgetReport>;
}

/** The account of a key at a remote service; credits are null without a limit. */
export interface Account {
  name: string;
  plan: string;
  credits: number | null;
  /** The limits of an uploaded file, if the service states them. */
  maxRows?: number;
  maxFileBytes?: number;
}

/** The service interface, implemented locally and over HTTP; the command line uses only this. */
export interface ValidationService {
  validate(email: string, options?: ValidateOptions): Promise<ValidationResult>;
  /** Streams one answer per address, in input order. Chunks in and out need not align. */
  validateMany(emails: EmailChunks, options?: BulkOptions): AsyncIterable<readonly BulkAnswer[]>;
  previewUpload(file: UploadFile, options?: PreviewOptions): Promise<UploadPreview>;
  /** Confirming the same upload twice returns the same job. A remote service takes no option but the signal. */
  confirmUpload(uploadId: string, emailColumn: string, options?: ConfirmUploadOptions): Promise<Job>;
  /** Only this machine finds jobs by their state. */
  listJobs(page: { skip: number; limit: number; status?: JobState }, options?: CallOptions): Promise<JobPage>;
  getJob(id: string, options?: CallOptions): Promise<Job>;
  /** An extension: other services answer with the Failure `unsupported`. */
  jobResults(id: string, options?: CallOptions): Promise<JobResults>;
  /** Whether `jobResults` works at a remote service. */
  sendsResults?(options?: CallOptions): Promise<boolean>;
  cancelJob(id: string, options?: CallOptions): Promise<Job>;
  /** Deletes a job that has ended, with its file and results; throws `conflict` for another. */
  deleteJob(id: string, options?: CallOptions): Promise<Job>;
  /** Continues a canceled, failed or interrupted job. */
  resumeJob(id: string, options?: CallOptions): Promise<Job>;
  /** An extension of remote services: null if the service does not say. */
  account?(options?: CallOptions): Promise<Account | null>;
  /** Whether the last checks found that the resolver does not answer, or denies everything. Absent for remote services. */
  isResolverDown?(): boolean;
  /** Absent for remote services. */
  readonly jobs?: JobControl;
  close(): Promise<void>;
}
