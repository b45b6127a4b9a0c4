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
  /** An earlier output, whose verdicts are compared with what happened. */
  against: string | undefined;
  /** The list that was mailed. */
  sent: string | undefined;
  /** The HTML report of that comparison. */
  report: string | undefined;
  /** Store the delivery rates of domains, for the confidence of later runs. */
  learn: boolean;
}
