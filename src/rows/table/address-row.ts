import type { Row } from '../rows.js';

/** A row of a table that has one address and nothing else. Where several columns are vetted, it stands in the first of them. */
export function addressRow(
  email: string,
  { columns, emailColumns }: { columns: readonly string[]; emailColumns: readonly number[] },
): Row[] {
  const cells = columns.map((_, index) => (index === emailColumns[0] ? email : ''));
  const of = emailColumns.length;
  if (of <= 1) return [{ cells, email }];
  return emailColumns.map((_, index) => ({ cells, email: index === 0 ? email : '', part: { index, of } }));
}
