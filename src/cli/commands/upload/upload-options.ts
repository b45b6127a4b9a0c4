import type { FileReading } from '../../../model/service.js';
import type { ResultOptions } from '../jobs/write-results.js';

/** The options of `upload`. */
export interface UploadOptions extends ResultOptions {
  path: string;
  column: string | undefined;
  reading: FileReading;
  yes: boolean;
  wait: boolean;
  /** Write the rows, not the job. */
  writesRows: boolean;
  /** Start a new job, even if rows of an earlier one were not written. */
  isNew: boolean;
  maxAgeMs: number | undefined;
  onlyUnknown: boolean;
  /** Suppression lists. */
  exclude: readonly string[];
  /** Remote: the most rows in one part. */
  maxRows: number | undefined;
  /** Remote: the parts to send, by number. */
  parts: number[] | undefined;
  /** Remote: retry requests that may have been charged already. */
  retryBillable: boolean;
}
