import { namesAt } from '../../../model/distinct-names.js';
import { Failure } from '../../../model/failure.js';
import type { FileReading } from '../../../model/service.js';
import { countLines } from '../../../model/text/count-lines.js';
import type { Corrections, InputFormat, Row } from '../../rows.js';
import { isAddedColumn } from '../../table/verdict-columns.js';
import type { TextSource } from '../decode/open-text.js';
import { containsAddress, extractAddress, splitCell } from '../find-addresses.js';
import { ListStatsCollector } from '../list-stats.js';
import { type RowBudget, RowReader, type RowScanner } from '../row-reader.js';
import { analyzeTable, type TableLayout, type TableOptions } from './analyze-table.js';
import { CsvParser } from './csv-parser.js';
import { writtenCells } from './lenient-record.js';

/** What a caller may set; the rest is detected. */
export type CsvOptions = TableOptions & Pick<FileReading, 'splitCells'> & { budget?: RowBudget; isSampled?: boolean };

/** Reads text as a table; `emailColumns` is empty if neither a name nor the content indicates one. */
export function openCsv(text: TextSource, options: CsvOptions) {
  const layout = analyzeTable(text, options);
  const linesBefore = countLines(text.sample.slice(0, layout.skip));
  return openRecords(text, 'csv', { layout, scanner: new CsvParser(layout.delimiter, { linesBefore }) }, options);
}

/** Reads the records that a scanner finds as the rows of a table. */
export function openRecords<Format extends InputFormat>(
  text: TextSource,
  format: Format,
  { layout: table, scanner }: { layout: TableLayout; scanner: RowScanner },
  options: CsvOptions,
) {
  const { columns, emailColumns, delimiter, hasHeader, headerText, lineEnd, junkRecords } = table;
  if (options.splitCells && emailColumns.length > 1) throw splitCellsFailure();
  const reader = new RowReader(text, scanner, table.skip);
  const collector = new ListStatsCollector(splitHint(emailColumns, options), options);
  const buildRows = createRowBuilder(table, options.splitCells === true, collector);
  const countHiddenLines = createQuoteInspector(delimiter, columns.length, collector);
  let recordCount = 0;
  let number = 0;
  const junk = { first: 0, last: 0 };
  const toRows = (records: Row[]): Row[] => {
    const rows: Row[] = [];
    for (const record of records) {
      number += record.lineStep ?? 1;
      if (++recordCount === 1) junk.first = number;
      if (recordCount === junkRecords) junk.last = number;
      if (recordCount <= table.headRecords) continue;
      countHiddenLines(record, number);
      const built = buildRows(record, number);
      collector.deferTo(Array.isArray(built) ? built[0] : built, number);
      if (Array.isArray(built)) rows.push(...built);
      else rows.push(built);
    }
    return rows;
  };
  const source = reader.source(toRows, options.budget === undefined ? {} : { budget: options.budget });
  return {
    ...source,
    format,
    columns,
    emailColumns,
    hasHeader,
    delimiter,
    lineEnd,
    isLegacy: text.isLegacy,
    ...(text.cellFormats && { cellFormats: text.cellFormats }),
    preamble: `${text.hasByteOrderMark ? '\ufeff' : ''}${table.preamble}`,
    ...(headerText !== undefined && { headerText }),
    stats: () => collector.stats,
    otherColumns: () => collector.otherColumns(columns),
    skippedLines: () => scanner.skippedLines(),
    summarize: () => {
      const used = namesAt(columns, emailColumns)
        .map((name) => JSON.stringify(name))
        .join(' and ');
      const place = `${emailColumns.length > 1 ? 'the columns' : 'the column'} ${used}`;
      return collector.summarize(place, columns, {
        skippedLines: scanner.skippedLines(),
        oneColumn: options.splitCells === true,
      });
    },
    warnings: () => [...source.warnings(), ...collector.warnings(), ...alternativeWarning(table)],
    notes: (results?: Corrections) => [
      ...source.notes(),
      ...(junkRecords === 0 ? [] : [junkNote(junk)]),
      ...collector.notes(columns, results),
    ],
  };
}

/** A quoted cell with more lines is probably an unclosed quote that swallowed rows. */
const maxQuotedLines = 50;

/** Counts lines that a quote hides, if they are many, or if the record looks damaged. */
function createQuoteInspector(delimiter: string, width: number, collector: ListStatsCollector) {
  const textAfterQuote = /^"(?:[^"]|"")*"(?!")\s*\S/;
  const isOpenedTwice = (cell: string): boolean => cell.includes('\n') && textAfterQuote.test(cell);
  return ({ cells, text = '' }: Row, number: number): void => {
    const end = text.indexOf('\n');
    if (end === -1 || end === text.length - 1) return;
    const lines = text.trimEnd().split(/\r\n?|\n/).length - 1;
    if (lines === 0) return;
    const isRagged = cells.length !== width || writtenCells(text, delimiter).some(isOpenedTwice);
    if (lines > maxQuotedLines || isRagged) collector.addLongQuote(number, lines);
  };
}

/** Turns a record into its row, or into several if several addresses of it are vetted. */
function createRowBuilder(
  { emailColumns, columns, hasHeader }: TableLayout,
  splitCells: boolean,
  collector: ListStatsCollector,
): (record: Row, number: number) => Row[] | Row {
  const [first = -1, ...more] = emailColumns;
  const width = columns.length;
  const isOther = columns.map((name, index) => !emailColumns.includes(index) && !isAddedColumn(name));
  const countOtherColumns = ({ cells }: Row): void => {
    for (let column = 0; column < cells.length; column++) {
      if (isOther[column] !== false && containsAddress(cells[column] ?? '')) collector.addOtherColumn(column);
    }
  };
  return (record, number) => {
    const { cells, text = '' } = record;
    if (hasHeader && repeatsHeader(cells, columns)) {
      collector.addRepeatedHeader(number);
      if (more.length === 0) return record;
      return emailColumns.map((_, index) => ({ ...record, part: { index, of: emailColumns.length } }));
    }
    if (cells.length !== width) collector.addUnevenRow(number);
    const atSign = text.indexOf('@');
    if (more.length > 0) {
      if (atSign !== -1) countOtherColumns(record);
      return splitColumns(record, emailColumns, number, collector);
    }
    const cell = cells[first] ?? '';
    const email = collector.addCell(extractAddress(cell), number, cell);
    if (atSign !== -1 && (!email.includes('@') || text.indexOf('@', atSign + 1) !== -1)) countOtherColumns(record);
    const several = splitCells ? splitCell(cell) : null;
    if (several === null) {
      collector.addRow(email, number);
      record.email = email;
      return record;
    }
    collector.addSplitCell(several, number, cell);
    const of = several.length;
    return several.map((email, index) => ({ cells: cells.with(first, email), email, split: { index, of } }));
  };
}

/** True for the header of another file that was appended, perhaps with its byte order mark. */
function repeatsHeader(cells: readonly string[], columns: readonly string[]): boolean {
  const { 0: cell = '' } = cells;
  const { 0: first = '' } = columns;
  if (cell !== first && !(cell.startsWith('\ufeff') && cell.slice(1) === first)) return false;
  return cells.length === columns.length && columns.every((name, index) => index === 0 || cells[index] === name);
}

/** The record once for each of its email columns. */
function splitColumns(
  record: Row,
  emailColumns: readonly number[],
  number: number,
  collector: ListStatsCollector,
): Row[] {
  const emails = emailColumns.map((column) => {
    const cell = record.cells[column] ?? '';
    return collector.addCell(extractAddress(cell), number, cell);
  });
  const [first = '', ...more] = emails.filter((email) => email !== '');
  collector.addRow(first, number);
  for (const email of more) collector.addAddress(email, number);
  return emails.map((email, index) => ({ ...record, email, part: { index, of: emails.length } }));
}

/** Cells of several columns are split one column at a time. */
function splitHint({ length }: readonly number[], { splitCells }: CsvOptions): string | null {
  if (splitCells) return null;
  return length > 1 ? '--split-cells with one --column at a time' : '--split-cells';
}

/** With several columns a row stays one row. */
function splitCellsFailure(): Failure {
  return new Failure('usage', '--split-cells works with one column at a time.', {
    hint: 'Name one with --column, or leave out --split-cells.',
  });
}

function alternativeWarning({ columns, emailColumns: [chosen = 0], alternativeColumn }: TableLayout): string[] {
  if (alternativeColumn === null) return [];
  const [used, other] = namesAt(columns, [chosen, alternativeColumn]).map((name) => JSON.stringify(name));
  return [`The column ${used} is vetted, but ${other} may be meant. Name the right one with --column.`];
}

function junkNote({ first, last }: { first: number; last: number }): string {
  return first === last
    ? `Row ${first} is above the header; it is kept unchanged.`
    : `Rows ${first} to ${last} are above the header; they are kept unchanged.`;
}
