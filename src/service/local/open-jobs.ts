import { openSqliteStore } from '../../jobs/store/sqlite/sqlite-store.js';
import type { JobStore } from '../../jobs/store/store.js';
import { type JobFiles, openJobFiles } from '../../jobs/uploads/job-files.js';
import { createUploads, type Uploads } from '../../jobs/uploads/uploads.js';
import type { ValidationResult } from '../../model/result.js';
import { csvReader } from './table-reader.js';

/** What jobs on this machine work with. */
export interface LocalJobsOptions {
  /** The data directory. */
  home: string;
  validate(email: string, options: { signal: AbortSignal }): Promise<ValidationResult>;
  /** Equal for two spellings of one mailbox. */
  canonical(email: string): string;
  /** Verdicts are reused only from runs that looked as deep. */
  level: string;
  concurrency?: number | null;
  greylistWaitMs?: number;
}

/** The files and the store of one data directory. */
export interface OpenedJobs {
  files: JobFiles;
  store: JobStore;
  uploads: Uploads;
}

/** Opens the store, and clears what an earlier process left behind. */
export async function openJobs({ home, canonical }: LocalJobsOptions): Promise<OpenedJobs> {
  const files = openJobFiles(home);
  await files.removeLeftovers();
  const store = await openSqliteStore(files.storePath);
  return { files, store, uploads: createUploads({ store, files, reader: csvReader, canonical }) };
}
