import { formatNumber } from '../../../model/amount.js';
import { Failure } from '../../../model/failure.js';
import { countLines } from '../../../model/text/count-lines.js';

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
 * ordinary cells are only searched for delimiters; others are read cell by cell. A quote that is not closed within `maxChars` or
 * before the end is text.
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
  /** Where the cells of the current record start, and where the last one ends. */
  readonly #starts: number[] = [];
  #lastEnd = 0;
  /** The cells of a record that was read cell by cell. */
  #cells: string[] | null = null;
  #hasUnclosedQuote = false;
  /** The length of the unread text when it was scanned last. */
  #triedChars = 0;
  readonly #delimiter: string;
  readonly #delimiterCode: number;
  readonly #maxChars: number;
  readonly #cellEnd: RegExp;
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
    const code = delimiter.charCodeAt(0).toString(16).padStart(4, '0');
    this.#cellEnd = new RegExp(`\\u${code}|\\r?\\r?\\n|\\r`, 'g');
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
    // Old programs end a file with Ctrl-Z.
    if (body === text.length || (this.#isLast && /^\x1a+[\r\n]*$/.test(text.slice(body, body + 9)))) {
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
    const text = this.#written(index);
    return text.charCodeAt(0) === quote ? text.slice(1, -1) : text;
  }

  /** The cells of the current record with the quotes that they are written in. */
  writtenCells(): string[] {
    return Array.from({ length: this.width }, (_, index) => this.#written(index));
  }

  #written(index: number): string {
    if (index >= this.width) return '';
    const end = index + 1 < this.width ? (this.#starts[index + 1] ?? 0) - 1 : this.#lastEnd;
    return this.#text.slice(this.#starts[index], end);
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
    // The record may end before what was searched.
    this.#nextDelimiter = this.#nextReturn = -1;
    const end = this.#readCells(body, false);
    if (end !== -1 || (!this.#isLast && this.#text.length - body <= this.#maxChars)) return end;
    this.unclosedQuoteLine ??= line;
    this.#hasUnclosedQuote = true;
    const textEnd = this.#readCells(body, true);
    if (textEnd === -1) throw rowTooLong(line, this.#maxChars);
    return textEnd;
  }

  /**
   * Reads a record by the rules of Python's csv module: a quote at the start of a cell hides delimiters and line ends up to the next
   * lone quote, and what follows that is text. Only the quotes of an address are a part of it. A line ends with LF, CR LF, CR CR LF
   * or CR. Returns the position after it, or -1 if the text ends before it does.
   */
  #readCells(body: number, quotesAreText: boolean): number {
    const text = this.#text;
    const isLast = this.#isLast;
    const cells: string[] = [];
    for (let index = body; ; ) {
      const close = quotesAreText ? null : closingQuote(text, index, isLast);
      if (close === -1) return -1;
      this.#cellEnd.lastIndex = close === null ? index : close + 1;
      const found = this.#cellEnd.exec(text);
      if (!isLast && (found === null || isCutApart(text, found.index))) return -1;
      this.#starts[cells.length] = index;
      this.#lastEnd = found?.index ?? text.length;
      const isText = close === null || isLocalPart(text, index, close);
      const written = text.slice(index, this.#lastEnd);
      cells.push(isText ? written : unquoted(text, index, close) + text.slice(close + 1, this.#lastEnd));
      const [mark = ''] = found ?? [];
      index = this.#lastEnd + mark.length;
      if (mark === this.#delimiter) continue;
      this.#cells = cells;
      this.width = cells.length;
      return index;
    }
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

/** The failure for a row that is not read. */
export function rowTooLong(row: number, maxChars: number): Failure {
  return new Failure('bad_input', `Row ${row} is longer than ${formatNumber(maxChars)} characters.`, {
    hint: 'This is probably not a list. Take the row out, or give the addresses one per line.',
  });
}

/** The first quote that is not doubled; -1 if there is none, and null if the cell does not start with a quote. */
function closingQuote(text: string, open: number, isLast: boolean): number | null {
  if (text.charCodeAt(open) !== quote) return null;
  let index = text.indexOf('"', open + 1);
  while (index !== -1) {
    // Only the next character shows whether the last quote is doubled.
    if (index + 1 === text.length) return isLast ? index : -1;
    if (text.charCodeAt(index + 1) !== quote) return index;
    index = text.indexOf('"', index + 2);
  }
  return -1;
}

/** True for the quotes of an address: `"a b"@x.org` (RFC 5321, section 4.1.2). */
function isLocalPart(text: string, open: number, close: number): boolean {
  return text[close + 1] === '@' && !/["\r\n]/.test(text.slice(open + 1, close));
}

function unquoted(text: string, open: number, close: number): string {
  const value = text.slice(open + 1, close);
  return value.includes('"') ? value.replaceAll('""', '"') : value;
}

/** True if the line end at `end` may continue in the next piece. */
function isCutApart(text: string, end: number): boolean {
  if (text.charCodeAt(end) !== carriageReturn) return false;
  return end === text.length - 1 || (end === text.length - 2 && text.charCodeAt(end + 1) === carriageReturn);
}
