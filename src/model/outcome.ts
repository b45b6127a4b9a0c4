/** `unknown`: no answer. `skipped`: not checked. Neither means `false`. */
export type Outcome<Detail, Reason extends string = string> =
  | { state: 'passed'; detail: Detail }
  | { state: 'failed' | 'unknown' | 'skipped'; reason: Reason };
