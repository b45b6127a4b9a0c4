import { namesAt, numberedNames } from '../../../model/distinct-names.js';
import { Failure } from '../../../model/failure.js';
import type { FileReading } from '../../../model/service.js';
import { countLines } from '../../../model/text/count-lines.js';
import type { Row } from '../../rows.js';
import { isVerdictColumn } from '../../table/verdict-columns.js';
import type { TextSource } from '../decode/open-text.js';
import { columnsByName, findEmailColumn, listColumns, maxRatedColumns, nameRank } from '../email-column.js';
import { containsAddress } from '../find-addresses.js';
import { sepLine } from './csv-hints.js';
import { sampleRecords } from './csv-rows.js';
import { rowTooLong } from './csv-scanner.js';
import { detectDelimiter } from './detect-dialect.js';

/** What a caller may set about a table; the rest is detected. */
export interface TableOptions extends Pick<FileReading, 'header'> {
  /** A column's name, or its number from 1; several with commas between them. */
  column?: string | undefined;
  /** The columns by number, from 0; they take precedence over names. */
  columns?: readonly number[] | undefined;
}

/** The layout of a table, detected from its beginning. */
export interface TableLayout {
  delimiter: string;
  /** Characters before the first record. */
  skip: number;
  /** Records above the first row: junk, and the header. */
  headRecords: number;
  junkRecords: number;
  /** All text above the header, or above the first row if there is none. */
  preamble: string;
  columns: string[];
  emailColumns: readonly number[];
  /** A column that may be meant instead of the detected one. */
  alternativeColumn: number | null;
  hasHeader: boolean;
  headerText: string | undefined;
  /** The line of the header as `--header` takes it; 0 for none. */
  headerLine: number;
  lineEnd: string;
}

/** Bounds the time for a sample of very short records. */
const maxRecords = 4_000;

/** A longer first record is an error. */
const maxFirstRecordChars = 64 * 1024;

type Beginning = Pick<TextSource, 'sample' | 'isComplete' | 'name' | 'charset' | 'isSheet'>;

/** Analyzes the beginning of a table. Options that do not fit are a Failure. */
export function analyzeTable(text: Beginning, options: TableOptions): TableLayout {
  const { sample, isComplete, name, charset, isSheet } = text;
  const { header: headerLine } = options;
  // About the text from the header on.
  const table = headerLine
    ? sample
        .split(/\r\n?|\n/)
        .slice(headerLine - 1)
        .join('\n')
    : sample;
  const known = isSheet ? { delimiter: ',', skip: 0 } : sepLine(sample);
  const { delimiter, skip } = known ?? { delimiter: detectDelimiter(table, name, charset), skip: 0 };
  const records = sampleRecords(sample.slice(skip), delimiter, {
    charset,
    most: maxRecords,
    isTruncated: !isComplete,
  });
  const isEndless =
    records.length === 0 && !isComplete && sample.length >= maxFirstRecordChars && /[^\r\n]/.test(sample);
  if (isEndless) {
    const start = skip + sample.slice(skip).search(/[^\r\n]|$/);
    throw rowTooLong(countLines(sample.slice(0, start)) + 1, sample.length);
  }
  const linesSkipped = countLines(sample.slice(0, skip));
  const head = headerLine === undefined ? findHeader(records) : headerAt(records, headerLine, linesSkipped);
  const header = head.hasHeader ? records[head.junk] : undefined;
  const junk = records.slice(0, head.junk);
  const linesAbove = /^[\r\n]*/.exec(header?.text ?? '')?.[0] ?? '';
  const headRecords = head.junk + (header === undefined ? 0 : 1);
  const rows = records.slice(headRecords);
  const width = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  const columns = header === undefined ? numberedNames(0, width) : [...header.cells];
  const cells = rows.map((row) => row.cells);
  const byName = options.column === undefined ? null : columnsByName(options.column, columns);
  const requested = options.columns ?? byName;
  const found = requested === null ? findEmailColumn(header === undefined ? null : columns, cells) : null;
  const emailColumns = requested ?? (found === null ? [] : [found.column]);
  if (requested !== null) rejectWrongColumn(emailColumns, columns, cells, isComplete && records.length < maxRecords);
  return {
    delimiter,
    skip,
    headRecords,
    junkRecords: junk.length,
    columns,
    emailColumns,
    preamble: `${sample.slice(0, skip)}${junk.map((row) => row.text ?? '').join('')}${linesAbove}`,
    hasHeader: header !== undefined,
    headerText: header?.text?.slice(linesAbove.length),
    headerLine: header === undefined ? 0 : (header.line ?? 0) + linesSkipped,
    alternativeColumn: found?.alternative ?? null,
    lineEnd: lineEndOf(records[0]?.text),
  };
}

/** Titles, dates and comments above a header are few. */
const maxJunkRecords = 25;

/** Whether a table has a header, and how many junk records come before the header or the first row. */
interface FoundHeader {
  junk: number;
  hasHeader: boolean;
}

/**
 * The header is the first record, unless it holds an address, or a later one is a better header: it names an email
 * column, and all records above it have fewer cells.
 */
function findHeader(records: readonly Row[]): FoundHeader {
  const inspected = records.slice(0, maxJunkRecords);
  const isData = ({ cells }: Row): boolean => cells.some(containsAddress);
  // A line such as "Exported by ada@x.org" may precede it.
  const named = inspected.findIndex((record) => namesEmailColumn(record) && !isData(record));
  const width = named === -1 ? 0 : countFilled(inspected[named]);
  if (named !== -1 && inspected.slice(0, named).every((record) => countFilled(record) < width)) {
    return { junk: named, hasHeader: true };
  }
  const data = inspected.findIndex(isData);
  if (data === 0) return { junk: 0, hasHeader: false };
  // A title or a comment has one cell where the rows have several.
  const isTitled = (inspected[data]?.cells.length ?? 0) > 1 && countFilled(inspected[0]) <= 1;
  const junk = isTitled ? inspected.slice(0, data).findIndex((record) => countFilled(record) > 1) : 0;
  if (junk !== -1) return { junk, hasHeader: true };
  // A header may have empty names, but it has as many cells as the rows.
  const hasHeader = inspected[data - 1]?.cells.length === inspected[data]?.cells.length;
  return { junk: hasHeader ? data - 1 : data, hasHeader };
}

function namesEmailColumn({ cells }: Row): boolean {
  return cells.slice(0, maxRatedColumns).some((cell) => nameRank(cell) === 2);
}

function countFilled(record: Row | undefined): number {
  return record?.cells.filter((cell) => cell.trim() !== '').length ?? 0;
}

/** With fewer rows of a longer list, the content of a column proves little. */
const minRows = 3;

/** Throws if a requested column holds no address and another one does. */
function rejectWrongColumn(
  emailColumns: readonly number[],
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  isWhole: boolean,
): void {
  if (!isWhole && rows.length < minRows) return;
  for (const column of emailColumns) {
    const filled = rows.filter((cells) => (cells[column] ?? '').trim() !== '');
    if (filled.length === 0 || filled.some((cells) => containsAddress(cells[column] ?? ''))) continue;
    const better = columns.findIndex(
      (name, index) => !isVerdictColumn(name) && rows.some((cells) => containsAddress(cells[index] ?? '')),
    );
    if (better === -1) continue;
    throw new Failure('usage', `The column ${JSON.stringify(namesAt(columns, [column])[0])} has no addresses.`, {
      hint: `Did you mean ${JSON.stringify(namesAt(columns, [better])[0])}? The columns are: ${listColumns(columns)}.`,
    });
  }
}

/** The header in the requested line, counted as in notes; 0 for none. */
function headerAt(records: readonly Row[], requested: number, linesSkipped: number): FoundHeader {
  if (requested === 0) return { junk: 0, hasHeader: false };
  const junk = records.findIndex(({ line = 0 }) => line + linesSkipped === requested);
  if (junk !== -1) return { junk, hasHeader: true };
  throw new Failure('usage', `The list has no row ${requested} for the header.`, { hint: 'Correct --header.' });
}

function lineEndOf(text = ''): string {
  return /\r*\n$|\r$/.exec(text)?.[0] ?? '\n';
}
