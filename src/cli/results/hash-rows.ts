import type { BulkAnswer } from '../../model/result.js';
import { isPlaceholder, readAddresses } from '../../rows/read/find-addresses.js';
import type { Row } from '../../rows/rows.js';
import { fixedColumn } from '../../rows/table/verdict-columns.js';
import { withField } from '../../rows/write/json-verdict.js';
import { hashAddress } from '../../service/dedupe/suppression.js';
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
      ...(json !== undefined && { json: email === '' ? json : withField(json, name, email) }),
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

/** Whether the text is hashes already, as in an earlier output with --hash. */
export function isHashed(text: string): boolean {
  return /^[\da-f]{64}(?:, [\da-f]{64})*$/.test(text);
}

/** Each of several addresses of a cell has its own hash. A placeholder, such as "n/a", has none. */
export function hashText(text: string): string {
  if (isHashed(text)) return text;
  return readAddresses(text)
    .map((address) => (address === '' || isPlaceholder(address) ? address : hashAddress(address)))
    .join(', ');
}
