import { formatAmount } from '../../model/amount.js';
import { isFirstPart } from '../pick-rows.js';
import type { Row } from '../rows.js';
import type { ForeignLines } from './decode/decoder.js';
import { fallbackEncoding } from './decode/guess-encoding.js';
import type { TextSource } from './decode/open-text.js';

/** Turns text, pushed in any pieces, into rows. */
export interface RowScanner {
  push(text: string): Row[];
  end(): Row[];
  /** The number, from 1, of the last line, record or element that was scanned. */
  lineNumber(): number;
  /** The line of the first record whose quote is never closed. */
  unclosedQuoteRow?(): number | null;
  /** How many lines were too long, so that only their beginning was read. */
  truncatedLines?(): number;
  /** How many lines of NDJSON were not JSON. */
  invalidLines?(): number;
  /** How many lines were not rows: empty ones and, in a list of lines, comments. */
  skippedLines(): number;
}

/** Counts the lines of a scanner, and marks the rows that are not one line after the previous row. */
export class LineCounter {
  lines: number;
  #lastRow = 0;

  constructor(linesBefore = 0) {
    this.lines = linesBefore;
  }

  /** Marks the row of the current line. */
  mark(row: Row): Row {
    const step = this.lines - this.#lastRow;
    if (step !== 1) row.lineStep = step;
    this.#lastRow = this.lines;
    return row;
  }
}

/** How many more rows to read, over all lists together. Rows beyond that are not counted, and cause no notes. */
export interface RowBudget {
  left: number;
}

/** Reads the rows of a text with a scanner, and finds the row in which a line in another encoding begins. */
export class RowReader {
  readonly #text: TextSource;
  readonly #scanner: RowScanner;
  readonly #start: number;
  /** The number of characters passed to the scanner. */
  #offset: number;
  #hasEnded = false;
  #firstForeignRow: number | null = null;

  /** Reads from the given position of the text on. */
  constructor(text: TextSource, scanner: RowScanner, start = 0) {
    this.#text = text;
    this.#scanner = scanner;
    this.#start = start;
    this.#offset = start;
    text.skip(start);
  }

  /** The rows of the sample, which `source` then does not read again. */
  takeSample(): Row[] {
    const { sample, isComplete } = this.#text;
    this.#text.skip(sample.length);
    const rows = this.#push(sample.slice(this.#start));
    if (isComplete) rows.push(...this.#end());
    return rows;
  }

  /** The rows as a source, with those of the sample first if they were taken. */
  source(convert: (records: Row[]) => Row[], { sample = [], budget }: { sample?: Row[]; budget?: RowBudget } = {}) {
    const toRows = budget === undefined ? convert : withinBudget(convert, budget);
    return {
      totalBytes: this.#text.totalBytes,
      bytesRead: this.#text.bytesRead,
      chunks: readChunks(
        this.#text,
        // Emptied, so that a slow reader does not hold the sample in memory.
        sample.length === 0 ? null : () => toRows(sample.splice(0)),
        (piece) => toRows(this.#push(piece)),
        () => toRows(this.#end()),
      ),
      notes: () => this.#problems().notes,
      warnings: () => this.#problems().warnings,
      close: this.#text.close,
    };
  }

  #push(piece: string): Row[] {
    const foreign = this.#text.foreignLines();
    const cut = foreign === null || this.#firstForeignRow !== null ? -1 : foreign.firstOffset - this.#offset;
    this.#offset += piece.length;
    if (cut < 0 || cut > piece.length) return this.#scanner.push(piece);
    const rowsBefore = this.#scanner.push(piece.slice(0, cut));
    this.#firstForeignRow = this.#scanner.lineNumber() + 1;
    return [...rowsBefore, ...this.#scanner.push(piece.slice(cut))];
  }

  #end(): Row[] {
    if (this.#hasEnded) return [];
    this.#hasEnded = true;
    return this.#scanner.end();
  }

  /** A list that is all in one legacy encoding gets a note; a guess for some of its rows is a warning. */
  #problems(): { notes: string[]; warnings: string[] } {
    const notes: string[] = [];
    const warnings = [...this.#text.warnings, ...scannerWarnings(this.#scanner)];
    const foreign = this.#text.foreignLines();
    if (foreign !== null) {
      const isMixed = this.#text.hasRegularText();
      const isCertain = foreign.decodedAs !== null && foreign.isCertain && foreign.fallbacks === 0 && !isMixed;
      (isCertain ? notes : warnings).unshift(foreignNote(foreign, this.#firstForeignRow ?? 1, isMixed));
    }
    return { notes, warnings };
  }
}

function withinBudget(toRows: (records: Row[]) => Row[], budget: RowBudget): (records: Row[]) => Row[] {
  return (records) => {
    const taken: Row[] = [];
    for (const record of records) {
      if (budget.left <= 0) break;
      const rows = toRows([record]);
      budget.left -= rows.filter(isFirstPart).length;
      taken.push(...rows);
    }
    return taken;
  };
}

/** This is outside of the class, since V8 keeps everything in a generator's scope alive. */
async function* readChunks(
  text: TextSource,
  firstRows: (() => Row[]) | null,
  rowsIn: (piece: string) => Row[],
  lastRows: () => Row[],
): AsyncGenerator<Row[]> {
  try {
    if (firstRows !== null) yield firstRows();
    for (let piece = await text.read(); piece !== null; piece = await text.read()) {
      const rows = rowsIn(piece);
      if (rows.length > 0) yield rows;
    }
    const rows = lastRows();
    if (rows.length > 0) yield rows;
  } finally {
    await text.close();
  }
}

function scannerWarnings(scanner: RowScanner): string[] {
  const warnings: string[] = [];
  const quoteRow = scanner.unclosedQuoteRow?.() ?? null;
  if (quoteRow !== null) warnings.push(`Row ${quoteRow} opens a quote (") that is never closed; it was read as text.`);
  const invalid = scanner.invalidLines?.() ?? 0;
  if (invalid > 0) {
    const stand = invalid === 1 ? 'it stands' : 'they stand';
    warnings.push(`${formatAmount(invalid, 'line is', 'lines are')} not JSON, judged as ${stand}.`);
  }
  const truncated = scanner.truncatedLines?.() ?? 0;
  if (truncated > 0) {
    const lines = truncated === 1 ? '1 line is' : `${formatAmount(truncated, 'line')} are`;
    warnings.push(`${lines} longer than the line limit, truncated.`);
  }
  return warnings;
}

function foreignNote({ lines, decodedAs, isCertain, fallbacks }: ForeignLines, row: number, isMixed: boolean): string {
  const which = lines === 1 ? `Row ${row}` : `${formatAmount(lines, 'line')} (the first is row ${row})`;
  if (decodedAs === null) {
    return `${which} ${lines === 1 ? 'holds' : 'hold'} bytes that could not be decoded; \ufffd stands in their place. Name another encoding with --encoding.`;
  }
  const mixedNote = isMixed ? ', while other rows are UTF-8' : '';
  const doubt = isCertain ? '' : `, though ${lines === 1 ? 'it looks' : 'they look'} like another encoding`;
  const others =
    fallbacks === 0 ? '' : ` ${formatAmount(fallbacks, 'of them was', 'of them were')} read as ${fallbackEncoding}.`;
  return `${which} ${lines === 1 ? 'is' : 'are'} not UTF-8 and ${lines === 1 ? 'was' : 'were'} read as ${decodedAs}${mixedNote}${doubt}.${others} If that is wrong, name the encoding with --encoding.${isMixed ? '' : ' The output is UTF-8.'}`;
}
