import { Failure } from '../model/failure.js';
import type { FileReading } from '../model/service.js';
import { seededRandom, takeFirst, takeSample } from './pick-rows.js';
import type { BookFormat } from './read/book/open-book.js';
import type { CsvOptions } from './read/csv/open-csv.js';
import type { Input, ReadOptions } from './read/decode/byte-source.js';
import { openText, type TextSource } from './read/decode/open-text.js';
import { detectFormat } from './read/detect-format.js';
import { listColumns } from './read/email-column.js';
import { lineColumn, openList } from './read/open-list.js';
import type { InputFormat, RowSource } from './rows.js';

/** What a caller may set about an input; the rest is detected. For a JSON list, `column` is the name of a field. */
export interface OpenRowsOptions extends CsvOptions, ReadOptions {
  format?: InputFormat;
  /** An encoding of TextDecoder. */
  encoding?: string;
  /** True: an empty input is a list without addresses, not a Failure. */
  mayBeEmpty?: boolean;
}

/** A table that may have no email column. */
export interface CsvTable extends Omit<RowSource, 'emailColumn'> {
  /** Null if neither a name nor the content indicates one. */
  emailColumn: number | null;
}

/** Opens a list in any of the formats, compressed with gzip or not, and streams its rows. Errors are Failures. */
export async function openRows(input: Input, options: OpenRowsOptions = {}): Promise<RowSource> {
  const text = await openText(input, options);
  try {
    if (isBlank(text)) {
      if (options.mayBeEmpty) return openList(text, 'lines');
      throw emptyInput(text.name);
    }
    const format = await chooseFormat(text, options);
    if (!isTable(format)) return openList(text, format, options);
    return requireEmailColumn(await openTableText(text, format, options));
  } catch (thrown) {
    await text.close();
    throw thrown;
  }
}

/** What a caller may set about a table. */
interface OpenTableOptions extends CsvOptions, ReadOptions, FileReading {
  /** The original name of a stored file: its extension determines the format. */
  filename?: string;
  /** The column, but only of a JSON list. */
  field?: string;
}

/** Opens a list of any format as a table. Plain lines and text have one column, `email`. */
export async function openTable(input: Input, options: OpenTableOptions = {}): Promise<CsvTable> {
  const text = await openText(input, options);
  try {
    if (isBlank(text)) throw emptyInput(text.name);
    const { column, filename = text.name, field, ...others } = options;
    // The column name of plain lines does not imply that there are columns.
    const formatOptions = column === undefined || column === lineColumn ? others : { ...others, column };
    const format = await chooseFormat({ ...text, name: filename }, formatOptions);
    const isJson = format === 'json' || format === 'ndjson';
    const name = column ?? field;
    const isSampled = options.sample !== undefined;
    const budget = options.limit === undefined ? {} : { budget: { left: options.limit } };
    const list = isTable(format)
      ? await openTableText(text, format, { ...options, ...budget, isSampled })
      : openList(text, format, { ...budget, isSampled, ...(isJson && name !== undefined && { column: name }) });
    return selectRows(list, options);
  } catch (thrown) {
    await text.close();
    throw thrown;
  }
}

/** Opens an uploaded file to read the addresses of the chosen column. */
export async function openUpload(
  path: string,
  options: OpenTableOptions & { column: string; filename: string },
): Promise<RowSource> {
  // Messages show the name that the user knows, not the stored path.
  const table = await openTable({ path, name: options.filename }, options);
  try {
    return requireEmailColumn(table);
  } catch (thrown) {
    await table.close();
    throw thrown;
  }
}

function selectRows(table: CsvTable, { limit, sample }: FileReading): CsvTable {
  if (limit !== undefined) return takeFirst(table, limit);
  return sample === undefined ? table : takeSample(table, sample.rows, seededRandom(sample.seed));
}

/** The formats with a name for each column. */
type TableFormat = 'csv' | BookFormat;

function isTable(format: InputFormat): format is TableFormat {
  return format === 'csv' || format === 'vcard' || format === 'ldif';
}

async function openTableText(text: TextSource, format: TableFormat, options: CsvOptions): Promise<CsvTable> {
  const { openCsv } = await import('./read/csv/open-csv.js');
  const { openBook } = await import('./read/book/open-book.js');
  const table = format === 'csv' ? openCsv(text, options) : openBook(text, format, options);
  return { ...table, emailColumn: table.emailColumns[0] ?? null };
}

function requireEmailColumn(table: CsvTable): RowSource {
  if (table.emailColumn === null) throw noEmailColumn(table);
  return { ...table, emailColumn: table.emailColumn };
}

function isBlank({ isComplete: complete, sample }: TextSource): boolean {
  return complete && /^[\s\0]*$/.test(sample);
}

async function chooseFormat(text: TextSource, options: OpenRowsOptions): Promise<InputFormat> {
  const { format, column, header, skipRows } = options;
  const hasColumns = format === undefined || isTable(format) || format === 'json' || format === 'ndjson';
  if (!hasColumns && column !== undefined) {
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
  // An option about columns or a header implies a table.
  const impliesColumns = column !== undefined || header !== undefined || skipRows !== undefined;
  return chosen === 'lines' && format === undefined && impliesColumns ? 'csv' : chosen;
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
