/** One record of a CSV. */
interface CsvRecord {
  cells: string[];
  /** The position after its line end. */
  end: number;
}

interface LenientOptions {
  /** True if no more text follows. */
  isLast: boolean;
  /** True if a quote at the start of a cell is text. */
  quotesAreText?: boolean;
}

const quote = 34;
const carriageReturn = 13;

/**
 * Reads a CSV record by record by the rules of Python's csv module: a quote at the start of a cell hides delimiters and line ends up to
 * the next lone quote, and what follows that is text. Only the quotes of an address are a part of it. A line ends with LF, CR LF, CR CR LF or CR.
 */
export class LenientReader {
  readonly #cellEnd: RegExp;

  constructor(delimiter: string) {
    this.#cellEnd = new RegExp(`${codePattern(delimiter)}|\\r?\\r?\\n|\\r`, 'g');
  }

  /** The record at `start`; null if the text ends before it does. */
  read(text: string, start: number, { isLast, quotesAreText = false }: LenientOptions): CsvRecord | null {
    const cells: string[] = [];
    for (let index = start; ; ) {
      const close = quotesAreText ? null : closingQuote(text, index, isLast);
      if (close === -1) return null;
      this.#cellEnd.lastIndex = close === null ? index : close + 1;
      const found = this.#cellEnd.exec(text);
      if (!isLast && (found === null || isCutApart(text, found.index))) return null;
      const end = found?.index ?? text.length;
      const isText = close === null || isLocalPart(text, index, close);
      cells.push(isText ? text.slice(index, end) : unquoted(text, index, close) + text.slice(close + 1, end));
      const mark = found?.[0] ?? '';
      index = end + mark.length;
      if (mark === '' || mark.endsWith('\n') || mark === '\r') return { cells, end: index };
    }
  }
}

/** The cells of a record with the quotes that they are written in. */
export function writtenCells(record: string, delimiter: string): string[] {
  const cells: string[] = [];
  for (let index = 0; ; ) {
    const close = closingQuote(record, index, true) ?? -1;
    const found = record.indexOf(delimiter, close === -1 ? index : close + 1);
    const end = found === -1 ? record.length : found;
    cells.push(record.slice(index, end));
    if (found === -1) return cells;
    index = end + 1;
  }
}

/** A character as it is written in a regular expression, inside or outside of brackets. */
export function codePattern(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
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
