import type { Row } from '../rows.js';

/** A row with nothing but an address, in one of the email columns (by default the first); once for each of them. */
export function addressRow(
  email: string,
  { columns, emailColumns }: { columns: readonly string[]; emailColumns: readonly number[] },
  place = 0,
): Row[] {
  const cells = columns.map((_, index) => (index === emailColumns[place] ? email : ''));
  const of = emailColumns.length;
  if (of <= 1) return [{ cells, email }];
  return emailColumns.map((_, index) => ({ cells, email: index === place ? email : '', part: { index, of } }));
}
