import type { Guards } from '../../flags/guards.js';
import type { ListOptions, ReviewOptions, RunOptions } from '../../flags/list-flags.js';
import type { OutputOptions } from '../../flags/output-flags.js';

/** The options of `bulk`. */
export interface BulkOptions {
  /** The lists, in order; none for stdin. */
  paths: readonly string[];
  /** True if `-` requested stdin. */
  namesStdin: boolean;
  output: OutputOptions;
  list: ListOptions;
  run: RunOptions;
  review: ReviewOptions;
  guards: Guards;
  dryRun: boolean;
}
