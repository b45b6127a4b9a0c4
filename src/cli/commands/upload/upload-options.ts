import type { FileReading } from '../../../model/service.js';
import type { ResultOptions } from '../jobs/write-results.js';

/** What `upload` was asked for. */
export interface UploadOptions extends ResultOptions {
  path: string;
  column: string | undefined;
  /** How the file is read, where what is in it does not tell. */
  reading: FileReading;
  yes: boolean;
  wait: boolean;
  maxAgeMs: number | undefined;
  onlyUnknown: boolean;
  /** Remote: rows in one file, at most. */
  maxRows: number | undefined;
  /** Remote: only these parts, by number. */
  parts: number[] | undefined;
  /** Remote: send again what may already have been charged. */
  retryBillable: boolean;
}
