import type { Charset } from '../../model/charset.js';
import type { Row } from '../rows.js';
import { extractAddress, findAddresses, isPlainAddress, readAddresses } from './find-addresses.js';
import { type RowScanner, truncatedWarnings } from './read-rows.js';
import type { Unfold } from './text-kinds.js';

const defaultMaxLineChars = 64 * 1024;

/** Longer than any address of RFC 5321, section 4.5.3.1. */
const maxAddressChars = 1024;

/** The row of an input with one column. */
export function lineRow(text: string, line: number): Row {
  const email = extractAddress(text);
  return { cells: [email], email, line };
}

/** Splits text, pushed in any pieces, into lines that end with LF, CR LF or CR. */
export class LineSplitter {
  readonly #maxChars: number;
  readonly #breakBefore: (text: string) => number;
  #line = '';
  #isSkipping = false;
  #endedWithReturn = false;
  /** How many lines lost their tail. */
  truncatedLines = 0;

  /** A longer line is split if `breakBefore` finds a position in its beginning; otherwise it loses its tail. */
  constructor(maxChars: number, breakBefore: (text: string) => number = () => -1) {
    this.#maxChars = maxChars;
    this.#breakBefore = breakBefore;
  }

  push(piece: string): string[] {
    // The LF of a CR LF that spans two pieces.
    const text = this.#endedWithReturn && piece.startsWith('\n') ? piece.slice(1) : piece;
    if (piece !== '') this.#endedWithReturn = piece.endsWith('\r');
    const parts = (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text).split('\n');
    const lines: string[] = [];
    for (let index = 0; index < parts.length; index++) {
      const part = parts[index] ?? '';
      if (!this.#isSkipping) this.#line = index === 0 ? this.#line + part : part;
      if (this.#line.length > this.#maxChars) this.#shorten(lines);
      if (index === parts.length - 1) break;
      lines.push(this.#line);
      this.#line = '';
      this.#isSkipping = false;
    }
    return lines;
  }

  end(): string[] {
    const lines = this.#line === '' ? [] : [this.#line];
    this.#line = '';
    return lines;
  }

  #shorten(lines: string[]): void {
    while (this.#line.length > this.#maxChars) {
      const end = this.#breakBefore(this.#line.slice(0, this.#maxChars));
      if (end <= 0) {
        this.#line = this.#line.slice(0, this.#maxChars);
        this.#isSkipping = true;
        this.truncatedLines++;
        return;
      }
      lines.push(this.#line.slice(0, end));
      this.#line = this.#line.slice(end);
    }
  }
}

/** The position after the last comma or semicolon, otherwise after the last blank. */
function afterSeparator(text: string): number {
  const separator = Math.max(text.lastIndexOf(','), text.lastIndexOf(';'));
  return (separator === -1 ? Math.max(text.lastIndexOf(' '), text.lastIndexOf('\t')) : separator) + 1;
}

/** The position after the last character that ends an address; the end of the text if that is further back than an address is long. */
function afterAnySeparator(text: string): number {
  const separator = Math.max(...[' ', '\t', ',', ';', '<', '>', '"'].map((mark) => text.lastIndexOf(mark)));
  return separator > text.length - maxAddressChars ? separator + 1 : text.length;
}

/** Scans lines of one or more addresses. Empty lines, and lines that start with # and hold no @, are not rows. */
export function createLineScanner(charset: Charset, maxChars = defaultMaxLineChars): RowScanner {
  return scanByLine(new LineSplitter(maxChars, afterSeparator), (held, number) => {
    if (held === '') return null;
    if (isPlainAddress(held)) return [{ cells: [held], email: held, line: number }];
    const line = charset.showAddress(held);
    const address = extractAddress(line);
    if (address === '' || (address.startsWith('#') && !address.includes('@'))) return null;
    return readAddresses(line).map((email) => ({ cells: [email], email, line: number }));
  });
}

/** Scans any text for addresses, with folded lines joined. */
export function createTextScanner(charset: Charset, unfold: Unfold): RowScanner {
  const splitter = new LineSplitter(defaultMaxLineChars, afterAnySeparator);
  return scanByLine(unfoldLines(splitter, unfold), (held, number) =>
    findAddresses(decodeLdifValue(charset.showAddress(held))).map((email) => lineRow(email, number)),
  );
}

/** The value of an LDIF line in base64 (RFC 2849), or the line itself. */
function decodeLdifValue(line: string): string {
  const [, encoded] = /^[\w.;-]+:: *([\w+/]{4,1024}={0,2})$/.exec(line) ?? [];
  return encoded === undefined ? line : Buffer.from(encoded, 'base64').toString();
}

type Lines = Pick<LineSplitter, 'push' | 'end' | 'truncatedLines'>;

/** Joins folded lines; the last line is held until the next one shows whether it continues. */
function unfoldLines(splitter: LineSplitter, unfold: Unfold): Lines {
  let held: string | null = null;
  const unfolded = (lines: readonly string[]): string[] => {
    const ended: string[] = [];
    for (const line of lines) {
      const joined = held === null ? null : unfold(held, line);
      const isJoined = joined !== null && joined.length <= defaultMaxLineChars;
      if (held !== null && !isJoined) ended.push(held);
      held = isJoined ? joined : line;
    }
    return ended;
  };
  return {
    push: (text) => unfolded(splitter.push(text)),
    end: () => [...unfolded(splitter.end()), ...(held === null ? [] : [held])],
    get truncatedLines() {
      return splitter.truncatedLines;
    },
  };
}

/** A scanner for the rows of each line; `read` gets its number from 1, and returns null for a line to skip. */
function scanByLine(lines: Lines, read: (line: string, number: number) => Row[] | null): RowScanner {
  let skipped = 0;
  let number = 0;
  const toRows = (ended: string[]): Row[] => {
    const rows: Row[] = [];
    for (const line of ended) {
      const found = read(line, ++number);
      if (found === null) skipped++;
      else for (const row of found) rows.push(row);
    }
    return rows;
  };
  return {
    push: (text) => toRows(lines.push(text)),
    end: () => toRows(lines.end()),
    skippedLines: () => skipped,
    warnings: () => truncatedWarnings(lines.truncatedLines),
  };
}
