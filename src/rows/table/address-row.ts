import type { Row } from '../rows.js';

/** A row with nothing but an address, in the first of the email columns; once for each of them. */
export function addressRow(
  email: string,
  { columns, emailColumns }: { columns: readonly string[]; emailColumns: readonly number[] },
): Row[] {
  const cells = columns.map((_, index) => (index === emailColumns[0] ? email : ''));
  const columnCount = emailColumns.length;
  if (columnCount <= 1) return [{ cells, email }];
  return emailColumns.map((_, index) => ({ cells, email: index === 0 ? email : '', part: { index, of: columnCount } }));
}
