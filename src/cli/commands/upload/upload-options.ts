import type { FileReading } from '../../../model/service.js';
import type { RunOptions } from '../../flags/list-flags.js';
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
  run: RunOptions;
}
