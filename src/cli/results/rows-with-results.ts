import type { BulkAnswer } from '../../model/result.js';
import type { Row } from '../../rows/rows.js';

/** Rows and their answers, by index. A row with several addresses occurs once for each, in sequence. */
export interface RowsWithResults {
  rows: readonly Row[];
  answers: readonly BulkAnswer[];
}

/** Selects rows by the answers to all their addresses. */
export type RowFilter = (answers: readonly BulkAnswer[]) => boolean;

/** Groups of one row each, with all its addresses. */
function* groupByRow({ rows, answers }: RowsWithResults): Generator<RowsWithResults> {
  for (let index = 0; index < rows.length; ) {
    const end = index + (rows[index]?.part?.of ?? 1);
    yield { rows: rows.slice(index, end), answers: answers.slice(index, end) };
    index = end;
  }
}

/** The rows that the filter includes; all rows if it is null. */
export function filterRows(batch: RowsWithResults, includes: RowFilter | null): RowsWithResults {
  if (includes === null) return batch;
  const kept: { rows: Row[]; answers: BulkAnswer[] } = { rows: [], answers: [] };
  for (const group of groupByRow(batch)) {
    if (!includes(group.answers)) continue;
    kept.rows.push(...group.rows);
    kept.answers.push(...group.answers);
  }
  return kept;
}
