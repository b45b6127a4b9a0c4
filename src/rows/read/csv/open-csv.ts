import { formatAmount } from '../../../model/amount.js';
import { namesAt } from '../../../model/distinct-names.js';
import { countLines } from '../../../model/text/count-lines.js';
import type { Row } from '../../rows.js';
import { isVerdictColumn } from '../../table/verdict-columns.js';
import type { TextSource } from '../decode/open-text.js';
import { containsAddress, extractAddress, isPlainAddress } from '../find-addresses.js';
import { ListStatsCollector } from '../list-stats.js';
import { listSource, type RowBudget, type RowScanner } from '../read-rows.js';
import { analyzeTable, type TableLayout, type TableOptions } from './analyze-table.js';
import { createCellParser, rowOf } from './csv-rows.js';
import { CsvScanner } from './csv-scanner.js';

/** What a caller may set; the rest is detected. */
export type CsvOptions = TableOptions & { budget?: RowBudget | undefined };

/** Reads text as a table; `emailColumns` is empty if neither a name nor the content indicates one. */
export function openCsv(text: TextSource, options: CsvOptions) {
  const layout = analyzeTable(text, options);
  const { columns, emailColumns, delimiter, hasHeader, headerText, headerLine, lineEnd, skip } = layout;
  const reader = new TableReader(text, layout, options.budget);
  const { collector, scanner } = reader;
  const used = namesAt(columns, emailColumns).map((name) => JSON.stringify(name));
  const place = `${used.length > 1 ? 'the columns' : 'the column'} ${used.join(' and ')}`;
  const source = listSource(text, reader, collector, { columns, place, budget: options.budget, start: skip });
  const titles = formatAmount(layout.junkRecords, 'row above the table is', 'rows above the table are');
  const titleNotes = layout.junkRecords === 0 ? [] : [`${titles} kept unchanged.`];
  return {
    ...source,
    notes: () => [...titleNotes, ...source.notes()],
    format: 'csv' as const,
    emailColumns,
    emailColumn: emailColumns[0] ?? null,
    hasHeader,
    delimiter,
    lineEnd,
    headerLine,
    charset: text.charset,
    preamble: `${text.byteOrderMark}${layout.preamble}`,
    tail: () => scanner.tail,
    ...(headerText !== undefined && { headerText }),
    otherColumns: () => collector.otherColumns(columns),
  };
}

/** A quoted cell with more lines is probably an unclosed quote that swallowed rows. */
const maxQuotedLines = 50;

/** Turns the text of a table into rows. */
class TableReader implements RowScanner {
  readonly scanner: CsvScanner;
  readonly collector = new ListStatsCollector();
  readonly #parse: ReturnType<typeof createCellParser>;
  /** Whether addresses of a column are counted as not vetted. */
  readonly #isOther: readonly boolean[];
  #headRecords: number;

  constructor(
    private readonly text: TextSource,
    private readonly layout: TableLayout,
    private readonly budget: RowBudget | undefined,
  ) {
    const { delimiter, columns, emailColumns, skip } = layout;
    this.scanner = new CsvScanner(delimiter, { linesBefore: countLines(text.sample.slice(0, skip)) });
    this.#parse = createCellParser(delimiter, text.charset);
    this.#isOther = columns.map((name, index) => !emailColumns.includes(index) && !isVerdictColumn(name));
    this.#headRecords = layout.headRecords;
  }

  // Arrow functions: they are passed on without their object.
  readonly push = (piece: string): Row[] => this.#read(piece, false);
  readonly end = (): Row[] => this.#read('', true);
  readonly skippedLines = (): number => this.scanner.skippedLines;
  readonly warnings = (): string[] => [
    ...unclosedQuoteWarning(this.scanner.unclosedQuoteLine),
    ...alternativeWarning(this.layout),
  ];

  #read(piece: string, isLast: boolean): Row[] {
    const { scanner, budget } = this;
    const rows: Row[] = [];
    scanner.add(piece, isLast);
    while (budget?.left !== 0 && scanner.next()) {
      if (this.#headRecords > 0) this.#headRecords--;
      else {
        if (budget !== undefined) budget.left--;
        this.#addRow(rows);
      }
    }
    return rows;
  }

  #addRow(rows: Row[]): void {
    const { scanner, collector, layout } = this;
    const { line } = scanner;
    if (scanner.width !== layout.columns.length) collector.add('uneven', line);
    const { emailColumns } = layout;
    const row = rowOf(scanner, this.#parse, this.text.charset, '');
    if (row.text !== undefined && scanner.parsedCells() !== null) this.#inspectQuotes(row, row.text);
    const held = emailColumns.length === 0 ? '' : scanner.cell(emailColumns[0] ?? 0);
    if (emailColumns.length <= 1 && isPlainAddress(held)) {
      row.email = held;
      collector.addPlainRow();
      this.#countOtherColumns(row, false);
      rows.push(row);
      return;
    }
    const emails = emailColumns.map((column) => this.#emailIn(scanner.cell(column)));
    const [first = '', ...more] = emails.filter((email) => email !== '');
    collector.addRow(first, line);
    for (const email of more) collector.addAddress(email, line);
    this.#countOtherColumns(row, emails.length > 1 || !first.includes('@'));
    row.email = emails[0] ?? '';
    for (const part of partsOf(row, emails)) rows.push(part);
  }

  #emailIn(held: string): string {
    const cell = this.text.charset.showAddress(held.includes('""') ? held.replaceAll('""', '"') : held);
    return this.collector.addCell(extractAddress(cell), this.scanner.line, cell);
  }

  /** Counts addresses in other columns than the vetted ones. `isOnly`: the first one may be in such a column. */
  #countOtherColumns(row: Row, isOnly: boolean): void {
    const text = row.text ?? '';
    const atSign = text.indexOf('@');
    if (atSign === -1 || (!isOnly && !text.includes('@', atSign + 1))) return;
    for (const [column, cell] of row.cells.entries()) {
      if (this.#isOther[column] !== false && containsAddress(cell)) this.collector.addOtherColumn(column);
    }
  }

  /** Counts lines that a quote hides, if they are many, or if the record looks damaged. */
  #inspectQuotes({ cells }: Row, text: string): void {
    const lines = countLines(text.replace(/^[\r\n]+|(?<![\r\n])[\r\n]+$/g, ''));
    if (lines === 0) return;
    const textAfterQuote = /^"(?:[^"]|"")*"(?!")\s*\S/;
    const isOpenedTwice = (cell: string): boolean => cell.includes('\n') && textAfterQuote.test(cell);
    const isRagged = cells.length !== this.layout.columns.length || this.scanner.writtenCells().some(isOpenedTwice);
    if (lines > maxQuotedLines || isRagged) this.collector.addLongQuote(this.scanner.line, lines);
  }
}

/** The row once for each of its addresses. */
function partsOf(row: Row, emails: readonly string[]): Row[] {
  if (emails.length <= 1) return [row];
  return emails.map((email, index) => {
    const part: Row = index === 0 ? row : (Object.assign(Object.create(Object.getPrototypeOf(row)), row) as Row);
    part.email = email;
    part.part = { index, of: emails.length };
    return part;
  });
}

function unclosedQuoteWarning(line: number | null): string[] {
  return line === null ? [] : [`Row ${line} opens a quote (") that is never closed; it was read as text.`];
}

function alternativeWarning({ columns, emailColumns: [chosen = 0], alternativeColumn }: TableLayout): string[] {
  if (alternativeColumn === null) return [];
  const [used, other] = namesAt(columns, [chosen, alternativeColumn]).map((name) => JSON.stringify(name));
  return [`The column ${used} is vetted, but ${other} may be meant. Name the right one with --column.`];
}
