import { Failure } from '../model/failure.js';
import type { FileReading } from '../model/service.js';
import { firstRows, sampleRows, seededRandom } from './pick-rows.js';
import type { CsvOptions } from './read/csv/open-csv.js';
import type { Input, Reading } from './read/decode/byte-source.js';
import { openText, type TextSource } from './read/decode/open-text.js';
import { detectFormat } from './read/detect-format.js';
import { listColumns } from './read/email-column.js';
import { lineColumn, openList } from './read/open-list.js';
import type { InputFormat, RowSource } from './rows.js';

/** What a caller may settle about an input; the rest is detected. Of a JSON list, `column` is the name of a field. */
export interface OpenRowsOptions extends CsvOptions, Reading {
  format?: InputFormat;
  /** What the bytes mean, by a name that TextDecoder knows. */
  encoding?: string;
  /** Nothing at all is a list of no addresses, and not a Failure. */
  mayBeEmpty?: boolean;
}

/** A CSV that may have no column of addresses: what a preview shows. */
export interface CsvTable extends Omit<RowSource, 'emailColumn'> {
  /** Null where neither a name nor the content points to a column. */
  emailColumn: number | null;
}

/** Opens a list of addresses in any of the formats, packed with gzip or not, and streams its rows. Trouble is a Failure. */
export async function openRows(input: Input, options: OpenRowsOptions = {}): Promise<RowSource> {
  const text = await openText(input, options);
  try {
    if (isBlank(text)) {
      if (options.mayBeEmpty) return openList(text, 'lines');
      throw emptyInput(text.name);
    }
    const format = await chooseFormat(text, options);
    if (format !== 'csv') return openList(text, format, options.column);
    return withAddresses(await tableOf(text, options));
  } catch (thrown) {
    await text.close();
    throw thrown;
  }
}

/** What a caller may settle about a table. */
interface OpenTableOptions extends CsvOptions, Reading, FileReading {
  /** The name that the file goes by, where it lies under another: its ending tells the format. */
  filename?: string;
}

/** Opens a CSV whatever its columns are. Plain lines and text, which have none, are a table of the one column `email`. */
export async function openTable(input: Input, options: OpenTableOptions = {}): Promise<CsvTable> {
  const text = await openText(input, options);
  try {
    if (isBlank(text)) throw emptyInput(text.name);
    const { column, filename = text.name, ...others } = options;
    // Only who names another column than that of plain lines knows of columns.
    const known = column === undefined || column === lineColumn ? others : { ...others, column };
    const format = await chooseFormat({ ...text, name: filename }, known);
    if (format === 'json' || format === 'ndjson') throw notCsv(text.name, format);
    return picked(format === 'csv' ? await tableOf(text, options) : openList(text, format), options);
  } catch (thrown) {
    await text.close();
    throw thrown;
  }
}

/** Opens a file that was previewed as a table, to read the addresses of the column that was chosen. */
export async function openUpload(
  path: string,
  options: OpenTableOptions & { column: string; filename: string },
): Promise<RowSource> {
  // Whoever uploaded it knows it by its name, and not where it is kept.
  const table = await openTable({ path, name: options.filename }, options);
  try {
    return withAddresses(table);
  } catch (thrown) {
    await table.close();
    throw thrown;
  }
}

/** As many of its rows as are wished for. */
function picked(table: CsvTable, { limit, sample }: FileReading): CsvTable {
  if (limit !== undefined) return { ...table, chunks: firstRows(table.chunks, limit) };
  if (sample === undefined) return table;
  return { ...table, chunks: sampleRows(table.chunks, sample.rows, seededRandom(sample.seed)) };
}

async function tableOf(text: TextSource, options: CsvOptions): Promise<CsvTable> {
  const { openCsv } = await import('./read/csv/open-csv.js');
  const table = openCsv(text, options);
  return { ...table, emailColumn: table.emailColumns[0] ?? null };
}

function withAddresses(table: CsvTable): RowSource {
  if (table.emailColumn === null) throw noEmailColumn(table);
  return { ...table, emailColumn: table.emailColumn };
}

function isBlank({ complete, sample }: TextSource): boolean {
  return complete && /^[\s\0]*$/.test(sample);
}

/** Read as a table, JSON would give one row of rubbish. */
function notCsv(name: string, format: 'json' | 'ndjson'): Failure {
  return new Failure('bad_input', `${name} is ${format.toUpperCase()}, but an upload must be CSV.`, {
    hint: 'Vet it as it is with: mailvet bulk FILE. Or convert it to CSV first.',
  });
}

async function chooseFormat(text: TextSource, options: OpenRowsOptions): Promise<InputFormat> {
  const { format, column, header, skipRows } = options;
  if ((format === 'lines' || format === 'text') && column !== undefined) {
    throw new Failure('usage', 'Plain lines have no columns to choose from.', {
      hint: 'Leave out --column, or use --input csv.',
    });
  }
  const chosen = format ?? (await detectFormat(text.sample, text.name));
  if (options.splitCells && (chosen === 'json' || chosen === 'ndjson')) {
    throw new Failure('usage', '--split-cells works with CSV; an object of JSON stays one row.', {
      hint: 'Leave it out, or convert the list to CSV first.',
    });
  }
  // Whoever names a column, or speaks of a header, knows of columns.
  const speaksOfColumns = column !== undefined || header !== undefined || skipRows !== undefined;
  return chosen === 'lines' && format === undefined && speaksOfColumns ? 'csv' : chosen;
}

function emptyInput(name: string): Failure {
  const sentence = `${name} is empty.`;
  return new Failure('bad_input', sentence.charAt(0).toUpperCase() + sentence.slice(1), {
    hint: 'Give at least one address.',
  });
}

function noEmailColumn({ columns }: CsvTable): Failure {
  return new Failure('bad_input', 'No column looks like email addresses.', {
    hint: `Name one with --column NAME or NUMBER. The columns are: ${listColumns(columns)}.`,
  });
}
