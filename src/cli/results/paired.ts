import type { BulkAnswer } from '../../model/result.js';
import type { Row } from '../../rows/rows.js';

/** Rows and the answers to them, by index. A row of several addresses is there once for each of them, together. */
export interface Paired {
  rows: readonly Row[];
  answers: readonly BulkAnswer[];
}

/** Which rows go somewhere, by the answers to all addresses of a row. */
export type Wants = (answers: readonly BulkAnswer[]) => boolean;

/** Rows with their answers, a row of several addresses as one. */
export function* groupsOf({ rows, answers }: Paired): Generator<Paired> {
  for (let at = 0; at < rows.length; ) {
    const end = at + (rows[at]?.part?.of ?? 1);
    yield { rows: rows.slice(at, end), answers: answers.slice(at, end) };
    at = end;
  }
}

/** Leaves out the rows that nobody wants. */
export function wantedOf(paired: Paired, wants: Wants | null): Paired {
  if (wants === null) return paired;
  const kept: { rows: Row[]; answers: BulkAnswer[] } = { rows: [], answers: [] };
  for (const group of groupsOf(paired)) {
    if (!wants(group.answers)) continue;
    kept.rows.push(...group.rows);
    kept.answers.push(...group.answers);
  }
  return kept;
}
