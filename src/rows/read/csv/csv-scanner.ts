import { formatNumber } from '../../../model/amount.js';
import { Failure } from '../../../model/failure.js';
import { countLines } from '../../../model/text/count-lines.js';
import { LenientReader } from './lenient-record.js';

/** A quoted cell longer than this has a quote that is never closed. */
const defaultMaxChars = 2 * 1024 * 1024;

/** An incomplete record of this length is scanned again only when it has doubled, since scanning starts over. */
const longChars = 16 * 1024;

/** More empty lines in a row are not written back. */
const maxLineEnds = 64 * 1024;

const quote = 34;
const lineFeed = 10;
const carriageReturn = 13;

/**
 * Finds the records of a CSV, and the cells in them, in text that arrives in any pieces, in time linear in the text. Records of
 * ordinary cells are only searched for delimiters; the rest is left to LenientReader. A quote that is not closed within `maxChars`
 * or before the end is text.
 */
export class CsvScanner {
  /** The number of cells of the current record. */
  width = 0;
  /** The line of the current record, from 1; line ends in its cells do not count. */
  line: number;
  skippedLines = 0;
  unclosedQuoteLine: number | null = null;
  /** The line ends at the end of the input, which belong to no record. */
  tail = '';
  #text = '';
  #isLast = false;
  /** The current record, with the line ends before it. */
  #start = 0;
  #end = 0;
  /** Where the cells of the current record start, and where the last one ends; unless `#cells` has them. */
  readonly #starts: number[] = [];
  #lastEnd = 0;
  #cells: string[] | null = null;
  #hasUnclosedQuote = false;
  /** The length of the unread text when it was scanned last. */
  #triedChars = 0;
  readonly #delimiter: string;
  readonly #delimiterCode: number;
  readonly #maxChars: number;
  readonly #lenient: LenientReader;
  // The next position of each character from the current one on, searched for once.
  #nextLineFeed = -1;
  #nextDelimiter = -1;
  #nextQuote = -1;
  #nextReturn = -1;

  /** `linesBefore` is the number of lines above the text. */
  constructor(delimiter: string, { maxChars = defaultMaxChars, linesBefore = 0 } = {}) {
    this.#delimiter = delimiter;
    this.#delimiterCode = delimiter.charCodeAt(0);
    this.#maxChars = maxChars;
    this.line = linesBefore;
    this.#lenient = new LenientReader(delimiter);
  }

  /** Adds text; `isLast` after the last piece. */
  add(piece: string, isLast = false): void {
    this.#text = this.#end === this.#text.length ? piece : this.#text.slice(this.#end) + piece;
    this.#start = this.#end = 0;
    this.#nextLineFeed = this.#nextDelimiter = this.#nextQuote = this.#nextReturn = -1;
    this.#isLast = isLast;
  }

  /** Goes to the next record; false if the text has no further complete one. */
  next(): boolean {
    const text = this.#text;
    this.#start = this.#end;
    this.#cells = null;
    this.#hasUnclosedQuote = false;
    if (this.#isTooSoon()) return false;
    const body = afterLineEnds(text, this.#start);
    if (body === text.length || (this.#isLast && isControlZ(text, body))) {
      if (!this.#isLast && text.length - this.#start > maxLineEnds) this.#skipLines();
      if (this.#isLast) {
        this.tail = text.slice(this.#start);
        this.skippedLines += countLines(this.tail);
        this.#end = text.length;
      }
      return false;
    }
    const skipped = body > this.#start ? countLines(text.slice(this.#start, body)) : 0;
    const end = this.#scan(body, this.line + skipped + 1);
    if (end === -1) {
      this.#triedChars = text.length - this.#start;
      return false;
    }
    this.#triedChars = 0;
    this.skippedLines += skipped;
    this.line += skipped + 1;
    this.#end = end;
    return true;
  }

  /** Gives up the empty lines so far: so many are not a part of a list. */
  #skipLines(): void {
    const skipped = countLines(this.#text.slice(this.#start));
    this.skippedLines += skipped;
    this.line += skipped;
    this.#end = this.#text.length;
  }

  /** The current record with its line end, and the empty lines before it; null if its quote is never closed, which would hide the next ones. */
  text(): string | null {
    return this.#hasUnclosedQuote ? null : this.#text.slice(this.#start, this.#end);
  }

  /** A cell of the current record; empty if there is none. */
  cell(index: number): string {
    if (this.#cells !== null) return this.#cells[index] ?? '';
    if (index >= this.width) return '';
    const start = this.#starts[index] ?? 0;
    const end = index + 1 < this.width ? (this.#starts[index + 1] ?? 0) - 1 : this.#lastEnd;
    return this.#text.charCodeAt(start) === quote ? this.#text.slice(start + 1, end - 1) : this.#text.slice(start, end);
  }

  /** The first character of the current record. */
  firstCode(): number {
    return this.#text.charCodeAt(
      this.#cells === null ? (this.#starts[0] ?? 0) : afterLineEnds(this.#text, this.#start),
    );
  }

  /** The cells of the current record if only this scanner can parse it; otherwise null. */
  parsedCells(): string[] | null {
    return this.#cells;
  }

  #isTooSoon(): boolean {
    const length = this.#text.length - this.#start;
    return !this.#isLast && this.#triedChars >= longChars && length < Math.min(2 * this.#triedChars, this.#maxChars);
  }

  /** Finds the cells of the record at `body`; returns the position after it, or -1 if it is not complete. */
  #scan(body: number, line: number): number {
    const text = this.#text;
    if (this.#nextQuote < body) this.#nextQuote = positionIn(text, '"', body);
    if (this.#nextLineFeed < body) this.#nextLineFeed = positionIn(text, '\n', body);
    const lineEnd = this.#nextLineFeed;
    if (lineEnd === Number.POSITIVE_INFINITY) return this.#scanLeniently(body, line);
    let width = 0;
    let at = body;
    for (;;) {
      at = this.#skipPlainCells(at, lineEnd, width);
      width = this.width;
      if (at > lineEnd) break;
      const close = text.indexOf('"', at + 1);
      if (close === -1 || close > lineEnd) return this.#scanLeniently(body, line);
      this.#starts[width++] = at;
      at = close + 2;
      if (text.charCodeAt(close + 1) === this.#delimiterCode) continue;
      if (close + 1 !== lineEnd && (close + 2 !== lineEnd || text.charCodeAt(close + 1) !== carriageReturn)) {
        return this.#scanLeniently(body, line);
      }
      this.width = width;
      this.#lastEnd = close + 1;
      break;
    }
    if (this.#nextReturn < body) this.#nextReturn = positionIn(text, '\r', body);
    return this.#nextReturn < this.#lastEnd ? this.#scanLeniently(body, line) : lineEnd + 1;
  }

  /** Adds the cells from `at` up to one in quotes, or to the line end; returns the position after them, which is behind the line end if all were added. */
  #skipPlainCells(at: number, lineEnd: number, width: number): number {
    const text = this.#text;
    for (;;) {
      if (at < lineEnd && at >= this.#nextQuote && text.charCodeAt(at) === quote) {
        this.width = width;
        return at;
      }
      this.#starts[width++] = at;
      if (this.#nextDelimiter < at) this.#nextDelimiter = positionIn(text, this.#delimiter, at);
      if (this.#nextDelimiter >= lineEnd) break;
      at = this.#nextDelimiter + 1;
    }
    this.width = width;
    this.#lastEnd = withoutReturns(text, lineEnd, at);
    return lineEnd + 1;
  }

  #scanLeniently(body: number, line: number): number {
    const text = this.#text;
    const isLast = this.#isLast;
    // The record may end before what was searched.
    this.#nextDelimiter = this.#nextReturn = -1;
    let record = this.#lenient.read(text, body, { isLast });
    if (record === null) {
      if (!isLast && text.length - body <= this.#maxChars) return -1;
      this.unclosedQuoteLine ??= line;
      record = this.#lenient.read(text, body, { isLast, quotesAreText: true });
      if (record === null) throw rowTooLong(line, this.#maxChars);
      this.#hasUnclosedQuote = true;
    }
    this.#cells = record.cells;
    this.width = record.cells.length;
    return record.end;
  }
}

/** The next position of a character; infinite if there is none, so that it is not searched for again. */
function positionIn(text: string, char: string, from: number): number {
  const found = text.indexOf(char, from);
  return found === -1 ? Number.POSITIVE_INFINITY : found;
}

function afterLineEnds(text: string, from: number): number {
  let at = from;
  for (let code = text.charCodeAt(at); code === lineFeed || code === carriageReturn; code = text.charCodeAt(at)) at++;
  return at;
}

/** The end of a cell without the carriage returns before the line feed. */
function withoutReturns(text: string, lineEnd: number, start: number): number {
  let end = lineEnd;
  while (end > start && text.charCodeAt(end - 1) === carriageReturn) end--;
  return end;
}

/** True for the Ctrl-Z with which old programs end a file. */
function isControlZ(text: string, at: number): boolean {
  return text.charCodeAt(at) === 0x1a && /^\x1a+[\r\n]*$/.test(text.slice(at));
}

/** The failure for a row that is not read. */
export function rowTooLong(row: number, maxChars: number): Failure {
  return new Failure('bad_input', `Row ${row} is longer than ${formatNumber(maxChars)} characters.`, {
    hint: 'This is probably not a list. Take the row out, or give the addresses one per line.',
  });
}
