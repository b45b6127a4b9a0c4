import type { Guards } from '../../flags/guard-flags.js';
import type { ListOptions } from '../../flags/list-flags.js';
import type { OutputOptions } from '../../flags/output-flags.js';
import type { PickOptions, ReviewOptions } from '../../flags/review-flags.js';

/** What the flags of `bulk` ask for. */
export interface BulkOptions {
  /** The lists, in order; none for stdin. */
  paths: readonly string[];
  /** Whether stdin was asked for by `-`. */
  namesStdin: boolean;
  output: OutputOptions;
  list: ListOptions;
  guards: Guards;
  review: ReviewOptions & PickOptions;
  /** What `--resume` names. */
  resume: string | undefined;
  /** Of what that holds, ask again for the unknown ones. */
  onlyUnknown: boolean;
  /** What a list needs to know where answers cost something. */
  remote: { dryRun: boolean; maxCredits: number | undefined; retryBillable: boolean };
}
