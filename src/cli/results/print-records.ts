import { encodeRow } from '../../rows/write/encode-row.js';
import type { Context } from '../context.js';
import { type FormatFlags, requestedFormat } from '../flags/output-flags.js';
import { cellText } from '../render/rows/row-writer.js';

/** What a command prints besides the results of addresses. */
interface Printed {
  /** One object a line, and a row of a table. */
  rows: readonly object[];
  /** The one object of `--json`. */
  document: unknown;
  /** The text for a terminal. */
  screen(): string;
}

/** Prints a table on a terminal and one JSON object a line in a pipe, unless the flags name another format. */
export async function printRecords(
  { terminal: { stdout } }: Context,
  flags: FormatFlags,
  { rows, document, screen }: Printed,
): Promise<void> {
  switch (requestedFormat(flags) ?? (stdout.isTty ? 'table' : 'ndjson')) {
    case 'table':
      return stdout.write(screen());
    case 'json':
      return stdout.write(`${JSON.stringify(document, null, stdout.isTty ? 2 : 0)}\n`);
    case 'ndjson':
      return stdout.write(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    case 'plain':
      return stdout.write(rows.map((row) => `${cellText(Object.values(row)[0])}\n`).join(''));
    case 'csv':
      return stdout.write(csvOf(rows));
    case 'xlsx': {
      const { encodeWorkbook } = await import('../../rows/write/write-workbook.js');
      return stdout.write(await encodeWorkbook(Buffer.from(csvOf(rows)), [], { delimiter: ',', addedColumns: [] }));
    }
  }
}

/** Whether a person looks at it, who may want a sentence, too. */
export function showsTable({ terminal: { stdout } }: Context, flags: FormatFlags): boolean {
  return (requestedFormat(flags) ?? (stdout.isTty ? 'table' : 'ndjson')) === 'table';
}

/** Prints one object. */
export function printRecord(context: Context, flags: FormatFlags, record: object, screen: () => string): Promise<void> {
  return printRecords(context, flags, { rows: [record], document: record, screen });
}

function csvOf(rows: readonly object[]): string {
  const names = [...new Set(rows.flatMap(Object.keys))];
  const records = rows.map((row) => names.map((name) => cellText((row as Record<string, unknown>)[name])));
  return [names, ...records].map((cells) => `${encodeRow(cells, ',')}\n`).join('');
}
