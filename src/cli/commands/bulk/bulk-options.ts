import type { Guards } from '../../flags/guards.js';
import type { ListOptions, ReviewOptions } from '../../flags/list-flags.js';
import type { OutputOptions } from '../../flags/output-flags.js';

/** The options of `bulk`. */
export interface BulkOptions {
  /** The lists, in order; none for stdin. */
  paths: readonly string[];
  /** True if `-` requested stdin. */
  namesStdin: boolean;
  output: OutputOptions;
  list: ListOptions;
  review: ReviewOptions;
  guards: Guards;
  /** The earlier output of `--resume`. */
  resume: string | undefined;
  /** With `resume`: ask again for its unknown addresses. */
  onlyUnknown: boolean;
  remote: { dryRun: boolean; maxCredits: number | undefined; retryBillable: boolean; sendInvalid: boolean };
}
