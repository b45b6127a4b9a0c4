import Papa from 'papaparse';
import { formatNumber } from '../../../model/amount.js';
import { Failure } from '../../../model/failure.js';
import type { Row } from '../../rows.js';
import { LineCounter, type RowScanner } from '../row-reader.js';
import { codePattern, LenientReader } from './lenient-record.js';

/** A quoted cell longer than this has a quote that is never closed. */
const defaultMaxChars = 1024 * 1024;

/** An incomplete record of this length is parsed again only when it has doubled, since parsing starts over. */
const longChars = 16 * 1024;

/** Papa searches for the next line end after each quoted cell, so the text that it is given at a time is bounded. */
const blockChars = 16 * 1024;

const lineFeed = 10;
const carriageReturn = 13;

/** Lines that Papa parses, the position after the last record taken, and the rows that records are added to. */
interface Block {
  lines: string;
  read: number;
  isMalformed: boolean;
  rows: Row[];
}

/**
 * Parses CSV that arrives in any pieces into rows with their cells and their text, in time linear in the text. Papa parses well-formed
 * lines; a block in which it would differ from Python's csv module is left to LenientReader. A quote that is not closed within
 * `maxChars` or before the end is text.
 */
export class CsvParser implements Omit<Required<RowScanner>, 'truncatedLines' | 'invalidLines'> {
  /** All blocks share one parser, since the garbage of many parsers is collected late. */
  readonly #papa: Papa.Parser;
  readonly #maxChars: number;
  readonly #lenient: LenientReader;
  readonly #malformed: RegExp;
  #block: Block = { lines: '', read: 0, isMalformed: false, rows: [] };
  #unread = '';
  /** The length of the unread text when it was parsed last. */
  #triedChars = 0;
  /** A record with line ends in its cells is one line. */
  readonly #counter: LineCounter;
  #emptyLines = 0;
  #unclosedQuoteRow: number | null = null;

  /** `linesBefore` is the number of lines above the text. */
  constructor(delimiter: string, { maxChars = defaultMaxChars, linesBefore = 0 } = {}) {
    this.#maxChars = maxChars;
    this.#counter = new LineCounter(linesBefore);
    this.#lenient = new LenientReader(delimiter);
    this.#malformed = malformedLines(delimiter);
    const step = (result: Papa.ParseStepResult<[string[]]>): void => this.#take(result);
    this.#papa = new Papa.Parser({ delimiter, newline: '\n', step });
  }

  /** Returns the complete rows. A long incomplete record may be left for later; an empty text parses it. */
  push(text: string): Row[] {
    const unread = this.#unread + text;
    const isTooSoon = this.#triedChars >= longChars && unread.length < Math.min(2 * this.#triedChars, this.#maxChars);
    if (text === '' || !isTooSoon) return this.#parse(unread, false);
    this.#unread = unread;
    return [];
  }

  /** Returns the rows of the remaining text. */
  end(): Row[] {
    return this.#parse(this.#unread, true);
  }

  lineNumber(): number {
    return this.#counter.lines;
  }

  unclosedQuoteRow(): number | null {
    return this.#unclosedQuoteRow;
  }

  skippedLines(): number {
    return this.#emptyLines;
  }

  #parse(text: string, isLast: boolean): Row[] {
    const rows: Row[] = [];
    let index = 0;
    for (let next = -1; next !== index; ) {
      next = index;
      index = this.#parseBlock(text, index, isLast, rows);
    }
    this.#unread = text.slice(index);
    this.#triedChars = this.#unread.length;
    return rows;
  }

  /** Adds the rows of a block; returns the position after them. */
  #parseBlock(text: string, start: number, isLast: boolean, rows: Row[]): number {
    const block = text.slice(start, start + blockChars);
    const lines = block.slice(0, block.lastIndexOf('\n') + 1);
    const end = start + (lines.length === 0 ? block.length : lines.length);
    let index = this.#parseWellFormed(lines, start, rows);
    while (index < end) {
      const next = this.#parseLeniently(text, index, isLast, rows);
      if (next === index) break;
      index = next;
    }
    return index;
  }

  #parseWellFormed(lines: string, start: number, rows: Row[]): number {
    if (lines === '' || this.#malformed.test(lines)) return start;
    this.#block = { lines, read: 0, isMalformed: false, rows };
    this.#papa.parse(lines, 0, true);
    return start + this.#block.read;
  }

  /** Takes a record from Papa, unless an error shows that Papa reads the rest of the block differently. */
  #take({ data: [cells], errors, meta }: Papa.ParseStepResult<[string[]]>): void {
    const block = this.#block;
    block.isMalformed ||= errors.length > 0;
    if (block.isMalformed) return;
    const text = block.lines.slice(block.read, meta.cursor);
    block.read = meta.cursor;
    // Papa takes a CR before the line feed for a part of the cell.
    if (text.charCodeAt(text.length - 2) === carriageReturn) cells.push(withoutReturns(cells.pop() ?? ''));
    this.#add(cells, text, block.rows);
  }

  #parseLeniently(text: string, start: number, isLast: boolean, rows: Row[]): number {
    const record = this.#lenient.read(text, start, { isLast });
    if (record !== null) {
      this.#add(record.cells, text.slice(start, record.end), rows);
      return record.end;
    }
    if (!isLast && text.length - start <= this.#maxChars) return start;
    const number = this.#counter.lines + 1;
    const line = this.#lenient.read(text, start, { isLast, quotesAreText: true });
    if (line === null) throw rowTooLong(number, this.#maxChars);
    this.#unclosedQuoteRow ??= number;
    // The row gets no raw text: written back unchanged, the quote would hide the rows that follow.
    this.#counter.lines++;
    rows.push(this.#counter.mark({ cells: line.cells, email: '' }));
    return line.end;
  }

  #add(cells: string[], text: string, rows: Row[]): void {
    const first = text.charCodeAt(0);
    this.#counter.lines++;
    if (first === lineFeed || first === carriageReturn) this.#emptyLines++;
    else rows.push(this.#counter.mark({ cells, email: '', text }));
  }
}

/** Matches what Papa reads differently: a line that ends with CR alone, and text or blanks after a closing quote. */
function malformedLines(delimiter: string): RegExp {
  const delimiterCode = codePattern(delimiter);
  const loneReturn = '\\r(?!\\r?\\n)';
  const textAfterQuote = `"(?<=[^"\\n${delimiterCode}]")(?:"")*(?![\\r\\n"${delimiterCode}])`;
  const blanksAfterQuote = `"[^\\S\\r\\n${delimiterCode}]+[\\r\\n${delimiterCode}]`;
  // Each begins with the character to search for, which V8 does much faster than to look back first.
  return new RegExp([loneReturn, textAfterQuote, blanksAfterQuote].join('|'));
}

function withoutReturns(cell: string): string {
  let end = cell.length;
  while (cell.charCodeAt(end - 1) === carriageReturn) end--;
  return cell.slice(0, end);
}

const firstPieceChars = 8 * 1024;

/** The first records of a sample, which is parsed no further than needed. `isTruncated`: the last one may continue after it. */
export function sampleRecords(
  sample: string,
  delimiter: string,
  { most, isTruncated = false }: { most: number; isTruncated?: boolean },
): Row[] {
  const parser = new CsvParser(delimiter);
  const records: Row[] = [];
  let index = 0;
  // Each piece is as long as all before it, since a record that spans several is parsed again with each of them.
  for (let end = firstPieceChars; index < sample.length && records.length < most; end *= 2) {
    records.push(...parser.push(sample.slice(index, end)));
    index = end;
  }
  if (records.length < most) records.push(...(isTruncated ? parser.push('') : parser.end()));
  // Whether a line feed follows a carriage return makes no difference to the record before them.
  if (records.length === 0 && sample.endsWith('\r')) records.push(...parser.end());
  return records.slice(0, most);
}

/** The failure for a row that is not read. */
export function rowTooLong(row: number, maxChars: number): Failure {
  return new Failure('bad_input', `Row ${row} is longer than ${formatNumber(maxChars)} characters.`, {
    hint: 'This is probably not a list. Take the row out, or give the addresses one per line.',
  });
}
