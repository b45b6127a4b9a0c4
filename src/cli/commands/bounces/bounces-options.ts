import type { OutputOptions } from '../../flags/output-flags.js';

/** The options of `bounces`. */
export interface BouncesOptions {
  /** Files and folders; `-` is stdin. */
  paths: readonly string[];
  output: OutputOptions;
  /** The columns of a CSV with the address and the reply. */
  column: string | undefined;
  replyColumn: string | undefined;
  /** The suppression list that hard bounces and complaints are added to. */
  suppress: string | undefined;
}
