import type { Guards } from '../../flags/guard-flags.js';
import type { JobOutput } from '../../flags/output-flags.js';

/** What `upload` was asked for. */
export interface UploadOptions {
  path: string;
  column: string | undefined;
  yes: boolean;
  wait: boolean;
  output: JobOutput;
  /** With `wait`: when the results must not replace what is there. */
  guards: Guards;
  maxAgeMs: number | undefined;
  onlyUnknown: boolean;
  /** Remote: rows in one file, at most. */
  maxRows: number | undefined;
  /** Remote: only these parts, by number. */
  parts: number[] | undefined;
  /** Remote: send again what may already have been charged. */
  retryBillable: boolean;
}
