import type { Row } from '../rows.js';

/** A row with nothing but an address, in one of the email columns (by default the first); once for each of them. */
export function addressRow(
  email: string,
  { columns, emailColumns }: { columns: readonly string[]; emailColumns: readonly number[] },
  emailIndex = 0,
): Row[] {
  const cells = columns.map((_, index) => (index === emailColumns[emailIndex] ? email : ''));
  const columnCount = emailColumns.length;
  if (columnCount <= 1) return [{ cells, email }];
  return emailColumns.map((_, index) => ({
    cells,
    email: index === emailIndex ? email : '',
    part: { index, of: columnCount },
  }));
}
