import type { Answered } from '../../lists/pipeline.js';
import type { BulkAnswer } from '../../model/result.js';
import type { Row } from '../../rows/rows.js';

/** Rows and their answers. A row with several addresses occurs once for each, in sequence. */
export type RowsWithResults = Answered<Row>;

/** Selects an entry of an output, which is a row or one of its addresses, by its answers and those of the row. */
export type RowFilter = (entry: readonly BulkAnswer[], row: readonly BulkAnswer[]) => boolean;

/** Groups of one address each, or of one row with all its addresses. */
function* groupsOf({ rows, answers }: RowsWithResults, byAddress: boolean): Generator<RowsWithResults> {
  for (let index = 0; index < rows.length; ) {
    const end = index + (byAddress ? 1 : (rows[index]?.part?.of ?? 1));
    yield { rows: rows.slice(index, end), answers: answers.slice(index, end) };
    index = end;
  }
}

/** The entries that the filter includes; all if it is null. */
export function filterRows(batch: RowsWithResults, includes: RowFilter | null, byAddress = false): RowsWithResults {
  if (includes === null) return batch;
  const kept: { rows: Row[]; answers: BulkAnswer[] } = { rows: [], answers: [] };
  for (const row of groupsOf(batch, false)) {
    for (const entry of byAddress ? groupsOf(row, true) : [row]) {
      if (!includes(entry.answers, row.answers)) continue;
      kept.rows.push(...entry.rows);
      kept.answers.push(...entry.answers);
    }
  }
  return kept;
}
