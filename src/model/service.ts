import type { Job, JobPage, JobResults, JobState, UploadPreview } from './job.js';
import type { BulkAnswer, BulkItem, BulkPlan, ValidationResult } from './result.js';

/** A file on disk that is to be uploaded. */
export interface UploadFile {
  path: string;
  /** The name to show; never used as a path. */
  filename: string;
}

/** How a file is to be read, where what is in it does not tell. It is kept with the upload, so that a job reads what was previewed. */
export interface FileReading {
  format?: 'lines' | 'csv' | 'text';
  /** A name that TextDecoder knows. */
  encoding?: string;
  /** False where the first row is data. */
  header?: boolean;
  /** Lines above the header that are none of the table. */
  skipRows?: number;
  /** Cells with several addresses become several rows. */
  splitCells?: boolean;
  /** Only so many rows from the start. */
  limit?: number;
  /** Only so many rows, chosen at random: the same seed chooses the same ones. */
  sample?: { rows: number; seed: number };
}

/** What is being asked of whom: a name server about a domain, a mail server for the mailbox, or the remote service. */
export interface Step {
  asking: 'dns' | 'mailbox' | 'service';
  target: string;
}

export interface CallOptions {
  signal?: AbortSignal;
}

export interface ValidateOptions extends CallOptions {
  /** Attach the evidence, where the back end has it. */
  explain?: boolean;
  /** Told what is being waited for, while it is. */
  onStep?(step: Step): void;
}

/** Where a run on this machine keeps its answers as they come. */
export interface JournalFiles {
  /** A file of this run alone; it must not be there yet. */
  path: string;
  /** What earlier runs kept: their answers are repeated, and not asked for again. */
  earlier: readonly string[];
}

/** How far a run is, at the time of asking. */
export interface RunProgress {
  answered(): number;
  /** Addresses whose mail server said "try later". */
  waiting(): number;
  /** When the next of them is asked again, in ms since 1970; null where none waits. */
  nextAt(): number | null;
}

export interface BulkOptions extends ValidateOptions {
  /** Answers of an earlier run: they are repeated, and not asked for again. */
  answered?: AsyncIterable<readonly BulkItem[]>;
  /** Keep every answer that cost a question, where the back end asks mailboxes itself. */
  journal?: JournalFiles;
  /** Told of every answer when it comes, also where an earlier row still waits. */
  onProgress?(progress: RunProgress): void;
  /** Ends with the Failure `network` where the resolver did not answer for most of the list: such a run says nothing about it. */
  needsNetwork?: boolean;
  /** Mailboxes that have not answered after so long are reported as timed out, where the back end asks mailboxes itself. */
  deadlineMs?: number;
}

/** Addresses in chunks of any size. */
export type EmailChunks = AsyncIterable<readonly string[]> | Iterable<readonly string[]>;

/** What there is to say of a file that was read: where its addresses stood, and what was odd in it. */
export interface ReadReport {
  notes: string[];
  /** What nobody should miss. */
  warnings: string[];
}

/** How an upload is previewed. */
interface PreviewOptions extends CallOptions {
  reading?: FileReading;
}

/** How an upload is confirmed on this machine. */
export interface ConfirmUploadOptions extends CallOptions {
  /** The columns to vet, by their numbers from 0, where a name does not tell which, or there are several. */
  columns?: readonly number[];
  /** Told once the whole file has been read. */
  onRead?(report: ReadReport): void;
  /** Use verdicts of earlier runs that are no older; unknown ones are asked again sooner. */
  maxAgeMs?: number;
  /** Use every verdict of earlier runs but the unknown ones. */
  onlyUnknown?: boolean;
  /** What a worker in another process must know again; kept with the job. */
  settings?: Record<string, unknown>;
}

/** What only a back end that runs the jobs itself can do with them. An id is a job's or a group's. */
export interface JobControl {
  /** All jobs of one upload, in order. */
  confirm(uploadId: string, emailColumn: string, options?: ConfirmUploadOptions): Promise<Job[]>;
  /** The jobs of an id, in order; a Failure `not_found` where there are none. */
  jobsOf(id: string): Promise<Job[]>;
  listJobs(page: { skip: number; limit: number; status?: JobState }): Promise<JobPage>;
  /** What `confirm` was told to keep. */
  settingsOf(id: string): Promise<Record<string, unknown>>;
  /** Runs the jobs of an id here until all have ended or the signal says stop; a job that another process runs is waited for. */
  work(id: string, options?: CallOptions & { onProgress?(jobs: Job[]): void }): Promise<Job[]>;
  /** Queues what was canceled or failed; with `onlyUnknown`, the unknown rows of what is completed. */
  resume(id: string, options?: { onlyUnknown?: boolean }): Promise<Job[]>;
  /** Forgets jobs that ended before, with their files and results; gives how many. */
  prune(olderThanMs: number): Promise<number>;
}

/** The service interface. Local answers it with the engine and the job store, Remote with HTTP; the command line sees only this. */
export interface ValidationService {
  /** One address, in full. */
  validate(email: string, options?: ValidateOptions): Promise<ValidationResult>;
  /** Any number of addresses: one answer for each, in input order, as they are known. Chunks in and out need not align. */
  validateMany(emails: EmailChunks, options?: BulkOptions): AsyncIterable<readonly BulkAnswer[]>;
  /** What `validateMany` would send and cost, where it costs something; sends nothing. */
  planMany?(emails: EmailChunks, options?: BulkOptions): Promise<BulkPlan>;
  previewUpload(file: UploadFile, options?: PreviewOptions): Promise<UploadPreview>;
  /** Confirming the same upload twice gives the same job. */
  confirmUpload(uploadId: string, emailColumn: string, options?: CallOptions): Promise<Job>;
  listJobs(page: { skip: number; limit: number }, options?: CallOptions): Promise<JobPage>;
  getJob(id: string, options?: CallOptions): Promise<Job>;
  /** Beyond the interface: a back end without it answers with the Failure `unsupported`. */
  jobResults(id: string, options?: CallOptions): Promise<JobResults>;
  cancelJob(id: string, options?: CallOptions): Promise<Job>;
  /** Absent where another machine runs the jobs. */
  readonly jobs?: JobControl;
  close(): Promise<void>;
}
