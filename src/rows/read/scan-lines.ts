import type { Row } from '../rows.js';
import { addressesInText, addressIn, severalAddresses, type TextKind } from './find-addresses.js';
import type { RowScanner } from './pump-rows.js';

/** The row of an input that has one column. A text too long to be an address is shortened, so that none fills memory or screen. */
export function singleCell(text: string): Row {
  const email = addressIn(text);
  return { cells: [email], email };
}

/** Splits text, handed over in any pieces, into lines, whatever ends them. */
interface LineSplitter {
  push(text: string): string[];
  end(): string[];
  /** How many lines were so long that only their beginning was read. */
  cut(): number;
}

/**
 * A splitter that holds at most so many characters of a line. Where `pieceEnd` finds a place to part a longer one, it comes in pieces;
 * else it loses its tail.
 */
export function createLineSplitter(maxChars: number, pieceEnd: (text: string) => number = () => -1): LineSplitter {
  let rest = '';
  let skipping = false;
  let endedInReturn = false;
  let cut = 0;
  const shorten = (lines: string[]): void => {
    while (rest.length > maxChars) {
      const end = pieceEnd(rest.slice(0, maxChars));
      if (end <= 0) {
        rest = rest.slice(0, maxChars);
        skipping = true;
        cut++;
        return;
      }
      lines.push(rest.slice(0, end));
      rest = rest.slice(end);
    }
  };
  return {
    push(piece) {
      // A line end that was cut apart is one line end.
      const text = endedInReturn && piece.startsWith('\n') ? piece.slice(1) : piece;
      if (piece !== '') endedInReturn = piece.endsWith('\r');
      const lines = (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text).split('\n');
      const whole: string[] = [];
      for (const [index, line] of lines.entries()) {
        if (!skipping) rest = index === 0 ? rest + line : line;
        if (rest.length > maxChars) shorten(whole);
        if (index === lines.length - 1) break;
        whole.push(rest);
        rest = '';
        skipping = false;
      }
      return whole;
    },
    end() {
      const lines = rest === '' ? [] : [rest];
      rest = '';
      return lines;
    },
    cut: () => cut,
  };
}

/** Behind the last comma or semicolon, or else the last blank. */
function behindSeparator(text: string): number {
  const at = Math.max(text.lastIndexOf(','), text.lastIndexOf(';'));
  return (at === -1 ? Math.max(text.lastIndexOf(' '), text.lastIndexOf('\t')) : at) + 1;
}

/** The same or, in a text without blanks that is no address anyway, wherever it is too long. */
function anywhere(text: string): number {
  const tail = text.length - longestAddress;
  const at = Math.max(...[' ', '\t', ',', ';', '<', '>', '"'].map((mark) => text.lastIndexOf(mark)));
  return at > tail ? at + 1 : text.length;
}

/** RFC 5321, section 4.5.3.1, generously. */
const longestAddress = 1024;

/** What a list of lines may hold beside addresses: a note to its reader. What holds an @ may be meant as an address. */
function isComment(line: string): boolean {
  return line.startsWith('#') && !line.includes('@');
}

const maxLineChars = 64 * 1024;

/** One address per line, or several. Empty lines, and lines that start with # and hold no @, are not rows. */
export function createLineScanner(maxChars = maxLineChars): RowScanner {
  return byLine(createLineSplitter(maxChars, behindSeparator), (line, rows) => {
    const row = singleCell(line);
    if (row.email === '' || isComment(row.email)) return false;
    const several = severalAddresses(line);
    if (several === null) rows.push(row);
    else for (const address of several) rows.push(singleCell(address));
    return true;
  });
}

/** Every address that stands anywhere in a text; `join` puts lines together that were broken in two. */
export function createTextScanner(join: TextKind['join'] = () => null): RowScanner {
  const splitter = createLineSplitter(maxLineChars, anywhere);
  return byLine(joining(splitter, join), (line, rows) => {
    for (const address of addressesInText(inClear(line))) rows.push(singleCell(address));
    return true;
  });
}

/** The value of LDIF that is written in base64 (RFC 2849), and any other line as it stands. */
function inClear(line: string): string {
  const [, encoded] = /^[\w.;-]+:: *([\w+/]{4,1024}={0,2})$/.exec(line) ?? [];
  return encoded === undefined ? line : Buffer.from(encoded, 'base64').toString();
}

/** Lines as they were before they were broken in two; one is held back until it is known how it goes on. */
function joining(splitter: LineSplitter, join: TextKind['join']): LineSplitter {
  let held: string | null = null;
  const whole = (lines: readonly string[]): string[] => {
    const ended: string[] = [];
    for (const line of lines) {
      const joined = held === null ? null : join(held, line);
      if (held !== null && (joined === null || joined.length > maxLineChars)) ended.push(held);
      held = joined === null || joined.length > maxLineChars ? line : joined;
    }
    return ended;
  };
  return {
    push: (text) => whole(splitter.push(text)),
    end: () => [...whole(splitter.end()), ...(held === null ? [] : [held])],
    cut: splitter.cut,
  };
}

/** `add` says whether the line counts. */
function byLine(splitter: LineSplitter, add: (line: string, rows: Row[]) => boolean): RowScanner {
  let passedOver = 0;
  const toRows = (lines: string[]): Row[] => {
    const rows: Row[] = [];
    for (const line of lines) if (!add(line, rows)) passedOver++;
    return rows;
  };
  return {
    push: (text) => toRows(splitter.push(text)),
    end: () => toRows(splitter.end()),
    passedOver: () => passedOver,
    cut: splitter.cut,
  };
}
