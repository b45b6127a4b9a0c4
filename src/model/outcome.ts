/** `unknown`: we asked and got no answer. `skipped`: we never asked. Neither is `false`. */
export type Outcome<Detail, Reason extends string = string> =
  | { state: 'passed'; detail: Detail }
  | { state: 'failed' | 'unknown' | 'skipped'; reason: Reason };
