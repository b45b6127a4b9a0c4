/** A row of a list, and its expected result. */
export interface Row {
  email: string;
  status: 'valid' | 'invalid';
}

/**
 * A list over this many domains. A third of the mailboxes do not exist, one in a hundred is greylisted, and the last tenth of the rows
 * repeats the first rows.
 */
export function makeList(name: string, rows: number, domains: number): { rows: Row[]; unique: number } {
  const unique = Math.ceil(rows * 0.9);
  return { rows: Array.from({ length: rows }, (_, row) => rowOf(name, row % unique, domains)), unique };
}

function rowOf(name: string, index: number, domains: number): Row {
  const kind = index % 100 === 0 ? 'grey' : index % 3 === 0 ? 'lost' : 'good';
  const email = `${kind}.${name}.${index}@d${index % domains}.vetlab.com`;
  return { email, status: kind === 'lost' ? 'invalid' : 'valid' };
}

export function toCsv(rows: readonly Row[]): string {
  return `id,email\n${rows.map(({ email }, id) => `${id},${email}\n`).join('')}`;
}

/** The errors in the results of a list: rows that are missing, duplicated, out of order, or judged wrongly. */
export function findWrong(rows: readonly Row[], csv: string): string[] {
  const [, ...lines] = csv.trim().split('\n');
  const errors = lines.length === rows.length ? [] : [`${lines.length} rows in place of ${rows.length}`];
  for (const [index, row] of rows.entries()) {
    const [id, email, status, reason] = lines[index]?.split(',') ?? [];
    if (Number(id) === index && email === row.email && status === row.status) continue;
    errors.push(`row ${index}: ${id} ${email} is ${status} (${reason}), not ${row.email} ${row.status}`);
  }
  return errors;
}
