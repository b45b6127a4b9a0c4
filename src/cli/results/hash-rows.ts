import { namesAt } from '../../model/distinct-names.js';
import type { BulkAnswer } from '../../model/result.js';
import { containsAddress } from '../../rows/read/find-addresses.js';
import type { Row } from '../../rows/rows.js';
import { fixedColumn, isAddedColumn } from '../../rows/table/verdict-columns.js';
import { replaceAddress } from '../../rows/write/json-verdict.js';
import { hashText } from '../../service/dedupe/address-hash.js';
import { columnOf, type RowsWithResults } from './rows-with-results.js';

/** Replaces the addresses in rows and answers with their SHA-256. Suggestions and canonical addresses are left out. */
export function createHasher({
  columns,
  emailColumns,
}: {
  columns: readonly string[];
  emailColumns: readonly number[];
}) {
  const plainColumns = new Set<number>();
  const hashRow = (fullRow: Row): Row => {
    const { text: _, json, ...row } = fullRow;
    const column = columnOf(fullRow, emailColumns);
    const email = hashText(row.email);
    const cells = row.cells.map((cell, at) => {
      // The cell of an array is JSON.
      if (at === column && json !== undefined && email !== '') return email;
      if (emailColumns.includes(at)) return hashText(cell);
      if (containsAddress(cell) && !isAddedColumn(columns[at] ?? '')) plainColumns.add(at);
      return cell;
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
  return {
    hash: ({ rows, answers }: RowsWithResults): RowsWithResults => ({
      rows: rows.map(hashRow),
      answers: answers.map(hashAnswer),
    }),
    /** The names of other columns that hold plain addresses. */
    plainColumns: (): string[] =>
      namesAt(
        columns,
        [...plainColumns].sort((one, other) => one - other),
      ),
  };
}
