import { Failure } from '../../model/failure.js';

/** Splits CSV text, handed over in any pieces, into records of cells. */
export interface CsvScanner {
  /** The records that ended within the text so far and were not given yet. Empty lines are none. */
  push(text: string): string[][];
  /** The last record, where no line end follows it. */
  end(): string[][];
}

/** A record longer than this is a quote that nobody closed, not data. */
const defaultMaxChars = 1024 * 1024;

const lineFeed = 10;
const carriageReturn = 13;
const space = 32;
const tab = 9;
const quote = 34;
const incomplete = -1;

/**
 * A scanner for one delimiter, in time linear in the text. A record over the limit, or a quote still open at the end, is a
 * Failure that names the row, counted from 1.
 */
export function createCsvScanner(delimiter: string, maxChars = defaultMaxChars): CsvScanner {
  let rest = '';
  let records = 0;

  const scan = (text: string, from: number, last: boolean, rows: string[][]): void => {
    const before = rows.length;
    const held = scanRecords(text, from, delimiter, last, rows);
    records += rows.length - before;
    rest = held >= text.length ? '' : text.slice(held);
    if (rest.length > maxChars) throw tooLong(records + 1, maxChars);
  };

  return {
    push(text) {
      const rows: string[][] = [];
      const lineEnd = rest === '' ? -1 : text.indexOf('\n');
      if (lineEnd === -1) {
        scan(rest + text, 0, false, rows);
        return rows;
      }
      // A concatenated string is slow to index in V8, so only the line that was cut apart is joined, and the bulk stays as it came.
      scan(rest + text.slice(0, lineEnd + 1), 0, false, rows);
      if (rest === '') scan(text, lineEnd + 1, false, rows);
      else scan(rest + text.slice(lineEnd + 1), 0, false, rows);
      return rows;
    },
    end() {
      const rows: string[][] = [];
      scan(rest, 0, true, rows);
      if (rest !== '') throw openQuote(records + 1);
      return rows;
    },
  };
}

/**
 * Adds the complete records to `rows` and gives the position where the first incomplete one starts. Each special character is
 * searched for once and remembered until it is passed: a search for every cell would be quadratic where one of them is rare.
 */
function scanRecords(text: string, from: number, delimiter: string, last: boolean, rows: string[][]): number {
  const separator = delimiter.charCodeAt(0);
  const length = text.length;
  let nextDelimiter = position(text, delimiter, from);
  let nextFeed = position(text, '\n', from);
  let nextReturn = position(text, '\r', from);
  let start = from;
  let at = from;
  let cells: string[] = [];
  // A delimiter as the very last character is followed by one more, empty cell.
  while (at < length || (last && cells.length > 0)) {
    let end: number;
    if (text.charCodeAt(at) === quote) {
      const close = closingQuote(text, at, separator, last);
      if (close === incomplete) return start;
      const value = text.slice(at + 1, close);
      cells.push(value.includes('"') ? value.replaceAll('""', '"') : value);
      end = skipBlanks(text, close + 1, separator);
      if (nextDelimiter < end) nextDelimiter = position(text, delimiter, end);
      if (nextFeed < end) nextFeed = position(text, '\n', end);
      if (nextReturn < end) nextReturn = position(text, '\r', end);
    } else {
      end = Math.min(nextDelimiter, nextFeed, nextReturn);
      cells.push(text.slice(at, end));
    }
    if (end === nextDelimiter && end < length) {
      at = end + 1;
      nextDelimiter = position(text, delimiter, at);
      continue;
    }
    if (!last && (end >= length || (end === length - 1 && end === nextReturn))) return start;
    if (end > start) rows.push(cells);
    if (end === nextReturn && nextFeed === end + 1) end++;
    cells = [];
    start = end + 1;
    at = start;
    if (nextFeed < at) nextFeed = position(text, '\n', at);
    if (nextReturn < at) nextReturn = position(text, '\r', at);
  }
  return cells.length > 0 ? start : at;
}

/** Where `what` comes next, or the end of the text. */
function position(text: string, what: string, from: number): number {
  const found = text.indexOf(what, from);
  return found === -1 ? text.length : found;
}

/** A quote closes its cell only before a delimiter or a line end; any other is part of the text, as careless exports need. */
function closingQuote(text: string, open: number, separator: number, last: boolean): number {
  let at = text.indexOf('"', open + 1);
  while (at !== -1) {
    if (text.charCodeAt(at + 1) === quote) {
      at = text.indexOf('"', at + 2);
      continue;
    }
    const after = skipBlanks(text, at + 1, separator);
    if (after >= text.length) return last ? at : incomplete;
    const code = text.charCodeAt(after);
    if (code === separator || code === lineFeed || code === carriageReturn) return at;
    at = text.indexOf('"', after);
  }
  return incomplete;
}

function skipBlanks(text: string, from: number, separator: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if ((code !== space && code !== tab) || code === separator) return at;
    at++;
  }
}

function tooLong(record: number, maxChars: number): Failure {
  return new Failure('bad_input', `Row ${record} is longer than ${maxChars} characters.`, {
    hint: 'A quote (") in it is probably never closed. Close it, or remove it, and start again.',
  });
}

function openQuote(record: number): Failure {
  return new Failure('bad_input', `Row ${record} opens a quote (") that is never closed.`, {
    hint: 'Close it, or remove it, and start again.',
  });
}
