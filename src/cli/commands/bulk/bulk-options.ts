import type { Guards } from '../../flags/guard-flags.js';
import type { ListWishes } from '../../flags/list-flags.js';
import type { OutputWishes } from '../../flags/output-flags.js';
import type { PickWishes, ReviewWishes } from '../../flags/review-flags.js';

/** What the flags of `bulk` ask for. */
export interface BulkOptions {
  /** The lists, in order; none for stdin. */
  paths: readonly string[];
  /** Whether stdin was asked for by `-`. */
  namesStdin: boolean;
  output: OutputWishes;
  list: ListWishes;
  guards: Guards;
  review: ReviewWishes & PickWishes;
  /** What `--resume` names. */
  resume: string | undefined;
  /** Of what that holds, ask again for the unknown ones. */
  onlyUnknown: boolean;
  /** What a list needs to know where answers cost something. */
  remote: { dryRun: boolean; maxCredits: number | undefined; retryBillable: boolean };
}
