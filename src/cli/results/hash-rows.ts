import type { BulkAnswer } from '../../model/result.js';
import type { Row } from '../../rows/rows.js';
import { fixedColumn } from '../../rows/table/verdict-columns.js';
import { replaceAddress } from '../../rows/write/json-verdict.js';
import { hashText } from '../../service/dedupe/address-hash.js';
import { columnOf, type RowsWithResults } from './rows-with-results.js';

/** Replaces the addresses in rows and answers with their SHA-256. Suggestions and canonical addresses are left out. */
export function hashRows(
  { rows, answers }: RowsWithResults,
  { columns, emailColumns }: { columns: readonly string[]; emailColumns: readonly number[] },
): RowsWithResults {
  const hashRow = (fullRow: Row): Row => {
    const { text: _, json, ...row } = fullRow;
    const column = columnOf(fullRow, emailColumns);
    const email = hashText(row.email);
    const cells = row.cells.map((cell, at) => {
      // The cell of an array is JSON.
      if (at === column && json !== undefined && email !== '') return email;
      return emailColumns.includes(at) ? hashText(cell) : cell;
    });
    return {
      ...row,
      cells,
      email,
      ...(json !== undefined && {
        json: email === '' ? json : replaceAddress(json, { field: columns[column] ?? '', email: row.email }, hashText),
      }),
    };
  };
  const hashAnswer = (answer: BulkAnswer): BulkAnswer => {
    const { result, added } = answer;
    const email = hashText(result.email);
    const fixed = added?.[fixedColumn];
    return {
      ...answer,
      result: {
        ...result,
        email,
        ...('did_you_mean' in result && { did_you_mean: null }),
        ...('canonical' in result && { canonical: null }),
      },
      ...(fixed !== undefined && { added: { ...added, [fixedColumn]: hashText(fixed) } }),
    };
  };
  return { rows: rows.map(hashRow), answers: answers.map(hashAnswer) };
}
