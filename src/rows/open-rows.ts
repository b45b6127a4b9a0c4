import { amount } from '../model/amount.js';
import { Failure } from '../model/failure.js';
import type { Input } from './read/byte-source.js';
import { detectFormat, sniffLayout } from './read/detect-format.js';
import { columnByName, findEmailColumn, holdsAddress, listColumns } from './read/email-column.js';
import { createEmailField } from './read/email-field.js';
import { openText, type TextSource } from './read/open-text.js';
import { createCsvScanner } from './read/scan-csv.js';
import { createJsonScanner, createNdjsonScanner } from './read/scan-json.js';
import { createLineScanner, type RowScanner } from './read/scan-lines.js';
import type { InputFormat, Row, RowSource } from './rows.js';

/** What a caller may settle about an input; the rest is detected. */
export interface OpenRowsOptions {
  format?: InputFormat;
  /** A column's name, or its number from 1; of a JSON list, the name of a field. */
  column?: string;
  /** Nothing at all is a list of no addresses, and not a Failure. */
  mayBeEmpty?: boolean;
  signal?: AbortSignal;
}

/** A CSV that may have no column of addresses: what a preview shows. */
export interface CsvTable extends Omit<RowSource, 'emailColumn'> {
  /** Null where neither a name nor the content points to a column. */
  emailColumn: number | null;
}

/** Opens a list of addresses in any of the formats, packed with gzip or not, and streams its rows. Trouble is a Failure. */
export async function openRows(input: Input, options: OpenRowsOptions = {}): Promise<RowSource> {
  const text = await openText(input, options.signal);
  try {
    if (text.complete && text.sample.trim() === '') {
      if (options.mayBeEmpty) return listOf(text, 'lines', {});
      throw emptyInput(text.name);
    }
    const format = chooseFormat(text, options);
    if (format !== 'csv') return listOf(text, format, options);
    const table = tableOf(text, options.column);
    if (table.emailColumn === null) throw noEmailColumn(table);
    return { ...table, emailColumn: table.emailColumn };
  } catch (thrown) {
    await text.close();
    throw thrown;
  }
}

/** What a caller may settle about a table. */
export interface OpenTableOptions extends Pick<OpenRowsOptions, 'column' | 'signal'> {
  /** The name that the file goes by, where it lies under another: its ending tells the format. */
  filename?: string;
}

/** Opens a CSV whatever its columns are. Plain lines, which have none, are a table of the one column `email`. */
export async function openTable(input: Input, options: OpenTableOptions = {}): Promise<CsvTable> {
  const text = await openText(input, options.signal);
  try {
    if (text.complete && text.sample.trim() === '') throw emptyInput(text.name);
    const format = detectFormat(text.sample, options.filename ?? text.name);
    if (format === 'json' || format === 'ndjson') throw notCsv(text.name, format);
    const { column = lineColumn } = options;
    // Whoever names another column knows of columns.
    return format === 'lines' && column === lineColumn ? listOf(text, format, {}) : tableOf(text, options.column);
  } catch (thrown) {
    await text.close();
    throw thrown;
  }
}

/** Opens a file that was previewed as a table, to read the addresses of the column that was chosen. */
export async function openUpload(path: string, options: OpenTableOptions & { column: string }): Promise<RowSource> {
  const table = await openTable({ path }, options);
  if (table.emailColumn !== null) return { ...table, emailColumn: table.emailColumn };
  await table.close();
  throw noEmailColumn(table);
}

/** What the addresses of a list without columns stand under. */
const lineColumn = 'email';

/** Read as a table, JSON would give one row of rubbish. */
function notCsv(name: string, format: 'json' | 'ndjson'): Failure {
  return new Failure('bad_input', `${name} is ${format.toUpperCase()}, and an upload must be CSV.`, {
    hint: 'Vet it as it is with: mailvet bulk FILE. Or turn it into CSV first.',
  });
}

function chooseFormat(text: TextSource, { format, column }: OpenRowsOptions): InputFormat {
  if (format === 'lines' && column !== undefined) {
    throw new Failure('usage', 'Plain lines have no columns to choose from.', {
      hint: 'Leave out --column, or use --input csv.',
    });
  }
  const chosen = format ?? detectFormat(text.sample, text.name);
  // Whoever names a column knows of columns.
  return chosen === 'lines' && column !== undefined ? 'csv' : chosen;
}

function listOf(text: TextSource, format: 'lines' | 'json' | 'ndjson', { column }: OpenRowsOptions): RowSource {
  const field = createEmailField(column);
  const scanner = {
    lines: () => createLineScanner(),
    json: () => createJsonScanner(field),
    ndjson: () => createNdjsonScanner(field),
  }[format]();
  const first = scanner.push(text.sample);
  field.assertFound();
  return {
    ...sourceOf(text, scanner, first, () => []),
    format,
    columns: [lineColumn],
    emailColumn: 0,
    hasHeader: false,
    delimiter: ',',
  };
}

function tableOf(text: TextSource, column: string | undefined): CsvTable {
  const { delimiter, skip } = sniffLayout(text.sample, text.name);
  const scanner = createCsvScanner(delimiter);
  const first = scanner.push(text.sample.slice(skip));
  if (text.complete) first.push(...scanner.end());
  const top = first[0] ?? [];
  const hasHeader = !top.some(holdsAddress);
  const sample = hasHeader ? first.slice(1) : first;
  const width = sample.reduce((most, cells) => Math.max(most, cells.length), hasHeader ? 0 : top.length);
  const columns = hasHeader ? top : Array.from({ length: width }, (_, index) => `column_${index + 1}`);
  const emailColumn =
    column === undefined ? findEmailColumn(hasHeader ? top : null, sample) : columnByName(column, columns);

  const at = emailColumn ?? -1;
  let row = hasHeader ? 1 : 0;
  let uneven = 0;
  let firstUneven = 0;
  const toRows = (records: string[][]): Row[] =>
    records.map((cells) => {
      row++;
      if (cells.length !== columns.length && uneven++ === 0) firstUneven = row;
      return { cells, email: (cells[at] ?? '').trim() };
    });
  const rows: RowScanner = {
    push: (piece) => toRows(scanner.push(piece)),
    end: () => toRows(text.complete ? [] : scanner.end()),
  };
  const notes = () => (uneven === 0 ? [] : [unevenNote(uneven, firstUneven, columns.length)]);
  return { ...sourceOf(text, rows, toRows(sample), notes), format: 'csv', columns, emailColumn, hasHeader, delimiter };
}

/** The parts of a row source that all formats share: the rows of the sample, and then what is read behind it. */
function sourceOf(text: TextSource, scanner: RowScanner, first: Row[], notes: () => string[]) {
  async function* read(): AsyncGenerator<Row[]> {
    try {
      if (first.length > 0) yield first;
      for (let piece = await text.read(); piece !== null; piece = await text.read()) {
        const rows = scanner.push(piece);
        if (rows.length > 0) yield rows;
      }
      const last = scanner.end();
      if (last.length > 0) yield last;
    } finally {
      await text.close();
    }
  }
  return {
    totalBytes: text.totalBytes,
    bytesRead: text.bytesRead,
    chunks: read(),
    notes: () => (text.lossy() ? [...notes(), lossyNote] : notes()),
    close: text.close,
  };
}

const lossyNote = 'Some bytes of the input are not valid UTF-8; each was replaced by \ufffd.';

function unevenNote(count: number, first: number, width: number): string {
  const rows = count === 1 ? `Row ${first} has` : `${amount(count, 'row')} (the first is row ${first}) have`;
  return `${rows} more or fewer cells than the ${amount(width, 'column')}; ${count === 1 ? 'it was' : 'they were'} kept.`;
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
