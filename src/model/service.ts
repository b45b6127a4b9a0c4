import type { Job, JobPage, JobResults, UploadPreview } from './job.js';
import type { BulkAnswer, ValidationResult } from './result.js';

/** A file on disk that is to be uploaded. */
export interface UploadFile {
  path: string;
  /** The name to show; never used as a path. */
  filename: string;
}

export interface CallOptions {
  signal?: AbortSignal;
}

export interface ValidateOptions extends CallOptions {
  /** Attach the evidence, where the back end has it. */
  explain?: boolean;
}

/** The service interface. Local answers it with the engine and the job store, Remote with HTTP; the command line sees only this. */
export interface ValidationService {
  /** One address, in full. */
  validate(email: string, options?: ValidateOptions): Promise<ValidationResult>;
  /** Any number of addresses: one answer for each, in input order, as they are known. Chunks in and out need not align. */
  validateMany(
    emails: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
    options?: ValidateOptions,
  ): AsyncIterable<readonly BulkAnswer[]>;
  previewUpload(file: UploadFile, options?: CallOptions): Promise<UploadPreview>;
  /** Confirming the same upload twice gives the same job. */
  confirmUpload(uploadId: string, emailColumn: string, options?: CallOptions): Promise<Job>;
  listJobs(page: { skip: number; limit: number }, options?: CallOptions): Promise<JobPage>;
  getJob(id: string, options?: CallOptions): Promise<Job>;
  /** Beyond the interface: a back end without it answers with the Failure `unsupported`. */
  jobResults(id: string, options?: CallOptions): Promise<JobResults>;
  cancelJob(id: string, options?: CallOptions): Promise<Job>;
  close(): Promise<void>;
}
