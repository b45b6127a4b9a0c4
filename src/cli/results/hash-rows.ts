import type { BulkAnswer } from '../../model/result.js';
import type { Row } from '../../rows/rows.js';
import { fixedColumn } from '../../rows/table/verdict-columns.js';
import { replaceField } from '../../rows/write/json-verdict.js';
import { hashText } from '../../service/dedupe/address-hash.js';
import type { RowsWithResults } from './rows-with-results.js';

/** Replaces the addresses in rows and answers with their SHA-256. Suggestions and canonical addresses are left out. */
export function hashRows(
  { rows, answers }: RowsWithResults,
  { columns, emailColumns }: { columns: readonly string[]; emailColumns: readonly number[] },
): RowsWithResults {
  const hashRow = ({ text: _, json, ...row }: Row): Row => {
    const cells = row.cells.map((cell, at) => (emailColumns.includes(at) ? hashText(cell) : cell));
    const email = hashText(row.email);
    const name = columns[emailColumns[row.part?.index ?? 0] ?? 0] ?? '';
    return {
      ...row,
      cells,
      email,
      ...(json !== undefined && { json: email === '' ? json : replaceField(json, name, email) }),
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
