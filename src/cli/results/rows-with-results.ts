import type { BulkAnswer } from '../../model/result.js';
import type { Row } from '../../rows/rows.js';

/** Rows and the answers to them, by index. A row of several addresses is there once for each of them, together. */
export interface RowsWithResults {
  rows: readonly Row[];
  answers: readonly BulkAnswer[];
}

/** Which rows go somewhere, by the answers to all addresses of a row. */
export type RowFilter = (answers: readonly BulkAnswer[]) => boolean;

/** Rows with their answers, a row of several addresses as one. */
export function* groupByRow({ rows, answers }: RowsWithResults): Generator<RowsWithResults> {
  for (let at = 0; at < rows.length; ) {
    const end = at + (rows[at]?.part?.of ?? 1);
    yield { rows: rows.slice(at, end), answers: answers.slice(at, end) };
    at = end;
  }
}

/** Leaves out the rows that nobody wants. */
export function filterRows(batch: RowsWithResults, wants: RowFilter | null): RowsWithResults {
  if (wants === null) return batch;
  const kept: { rows: Row[]; answers: BulkAnswer[] } = { rows: [], answers: [] };
  for (const group of groupByRow(batch)) {
    if (!wants(group.answers)) continue;
    kept.rows.push(...group.rows);
    kept.answers.push(...group.answers);
  }
  return kept;
}
