import { formatAmount } from '../../model/amount.js';
import type { Charset } from '../../model/charset.js';
import type { Row } from '../rows.js';
import { extractAddress, findAddresses, isPlainAddress, readAddresses } from './find-addresses.js';
import type { RowScanner } from './read-rows.js';

const maxLineChars = 64 * 1024;

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

/** The position after the last of these characters; 0 if there is none. */
function afterLast(text: string, marks: string): number {
  return Math.max(...[...marks].map((mark) => text.lastIndexOf(mark))) + 1;
}

const afterSeparator = (text: string): number => afterLast(text, ',;') || afterLast(text, ' \t');

/** The end of the text if the last separator is further back than an address is long. */
function afterAnySeparator(text: string): number {
  const end = afterLast(text, ' \t,;<>"');
  return end > text.length - maxAddressChars ? end : text.length;
}

/** Scans lines of one or more addresses. Empty lines, and lines that start with # and hold no @, are not rows. */
export function createLineScanner(charset: Charset): RowScanner {
  return scanByLine(new LineSplitter(maxLineChars, afterSeparator), (held, number) => {
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
  const splitter = new LineSplitter(maxLineChars, afterAnySeparator);
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
      const isJoined = joined !== null && joined.length <= maxLineChars;
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
export function scanByLine(lines: Lines, read: (line: string, number: number) => Row[] | null): RowScanner {
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
    warnings: () => {
      const count = lines.truncatedLines;
      const truncated = count === 1 ? '1 line is' : `${formatAmount(count, 'line')} are`;
      return count === 0 ? [] : [`${truncated} longer than the line limit, truncated.`];
    },
  };
}

/** Joins a folded line with the next one; null if they are two lines. */
type Unfold = (line: string, next: string) => string | null;

/** RFC 6350, section 3.2, and RFC 2849: a line that starts with a blank continues the one before. */
const unfoldIndented: Unfold = (line, next) => (/^[ \t]/.test(next) ? line + next.slice(1) : null);
/** RFC 2045, section 6.7: an equals sign at the end is a soft line break. */
const unfoldSoftBreak: Unfold = (line, next) => (line.endsWith('=') ? line.slice(0, -1) + next : null);
export const keepLines: Unfold = () => null;

const vCard = /^BEGIN:VCARD/i;
/** LDIF; ldapsearch also folds comments, such as a long name above an entry. */
const ldif = /^(?:#[^\n]*\n(?:[ \t][^\n]*\n)*|version: *1[ \t\r]*\n|[\r\n])*dn::? *\S/i;
/** A mailbox; Thunderbird and mail servers write `From - …` and `From MAILER-DAEMON …`. */
const mbox = /^From (?:\S+@\S+ +\w{3} +\w{3} +\d|\S+ +\w{3} +\w{3} +\d{1,2} +\d\d:\d\d)/;
const message =
  /^(?:Return-Path|Received|Delivered-To|X-[\w-]+|ARC-[\w-]+|List-[\w-]+|Content-[\w-]+|Authentication-Results|Message-ID|In-Reply-To|References|User-Agent|Sender|Reply-To|From|To|Cc|Date|Subject|MIME-Version|DKIM-Signature):[^\n]*\r?\n(?:[\w-]+:|\s)/i;
const page = /^(?:<!doctype html|<html|<head|<body|<table|<div|<\?xml)/i;
const drawnTable = /^\+-{2,}[+-]*\+\s|^\|[^\n]*\|\s*\n\|[\s:|-]+\|\s/;

/** How the lines of a sample that is no list are joined; null if it looks like a list. */
export function textUnfolding(sample: string): Unfold | null {
  const start = sample.slice(0, 4000).trimStart();
  if (vCard.test(start) || ldif.test(start)) return unfoldIndented;
  if (mbox.test(start) || message.test(start)) return unfoldSoftBreak;
  return page.test(start) || drawnTable.test(start) ? keepLines : null;
}
