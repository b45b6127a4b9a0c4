import { count } from '../../../model/amount.js';
import { Failure } from '../../../model/failure.js';
import type { Row } from '../../rows.js';

/** Splits CSV text, handed over in any pieces, into records of cells. */
interface CsvScanner {
  /** The records that ended within the text so far and were not given yet. Empty lines are none. Of a very long one, which is looked at now and then, an empty text gives what there is. */
  push(text: string): Row[];
  /** The last record, where no line end follows it. */
  end(): Row[];
  /** The number, from 1, of the first record with a quote that is never closed, which was read as text; null where there is none. */
  openQuote(): number | null;
  /** How many empty lines came by. */
  passedOver(): number;
}

/** A quoted cell longer than this is a quote that nobody closed, not data. */
const defaultMaxChars = 1024 * 1024;

/** A record that is longer, and not whole yet, is looked at again only when there is twice as much of it: each look begins at its start. */
const longChars = 16 * 1024;

const quote = 34;
const incomplete = -1;

/**
 * A scanner for one delimiter, in time linear in the text, by the rules of Python's csv module: a quote at the start of a cell hides
 * delimiters and line ends up to the next lone quote, and what stands behind that is text. A quote that is not closed within the
 * limit, or before the end, is text, too.
 */
export function createCsvScanner(delimiter: string, maxChars = defaultMaxChars): CsvScanner {
  let rest = '';
  let looked = 0;
  let records = 0;
  let openQuote: number | null = null;
  const passed = { lines: 0 };

  const scan = (text: string, from: number, last: boolean, rows: Row[]): void => {
    const before = rows.length;
    let held = scanRecords(text, from, delimiter, last, rows, passed, false);
    while (held < text.length && (last || text.length - held > maxChars)) {
      const number = records + rows.length - before + 1;
      const again = scanRecords(text, held, delimiter, last, rows, passed, true);
      if (again === held) throw tooLong(number, maxChars);
      openQuote ??= number;
      held = again;
    }
    records += rows.length - before;
    rest = held >= text.length ? '' : text.slice(held);
    looked = rest.length;
  };

  return {
    push(text) {
      const rows: Row[] = [];
      if (text !== '' && looked >= longChars && rest.length + text.length < Math.min(2 * looked, maxChars)) {
        rest += text;
        return rows;
      }
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
      const rows: Row[] = [];
      scan(rest, 0, true, rows);
      return rows;
    },
    openQuote: () => openQuote,
    passedOver: () => passed.lines,
  };
}

/**
 * Adds the complete records to `rows`, counts the empty lines, and gives the position where the first incomplete one starts. With `plainFirst`, quotes of the
 * first record are text. Each special character is searched for once and remembered until it is passed: a search for every cell would
 * be quadratic where one of them is rare.
 */
function scanRecords(
  text: string,
  from: number,
  delimiter: string,
  last: boolean,
  rows: Row[],
  passed: { lines: number },
  plainFirst: boolean,
): number {
  const length = text.length;
  let nextDelimiter = position(text, delimiter, from);
  let nextFeed = position(text, '\n', from);
  let nextReturn = position(text, '\r', from);
  let start = from;
  let at = from;
  let plain = plainFirst;
  let cells: string[] = [];
  // A delimiter as the very last character is followed by one more, empty cell.
  while (at < length || (last && cells.length > 0)) {
    let end: number;
    if (text.charCodeAt(at) === quote && !plain) {
      const close = closingQuote(text, at, last);
      if (close === incomplete) return start;
      if (nextDelimiter <= close) nextDelimiter = position(text, delimiter, close + 1);
      if (nextFeed <= close) nextFeed = position(text, '\n', close + 1);
      if (nextReturn <= close) nextReturn = position(text, '\r', close + 1);
      end = Math.min(nextDelimiter, nextFeed, nextReturn);
      const value = text.slice(at + 1, close);
      const behind = end === close + 1 ? '' : text.slice(close + 1, end);
      cells.push((value.includes('"') ? value.replaceAll('""', '"') : value) + behind);
    } else {
      end = Math.min(nextDelimiter, nextFeed, nextReturn);
      cells.push(text.slice(at, end));
    }
    if (end === nextDelimiter && end < length) {
      at = end + 1;
      nextDelimiter = position(text, delimiter, at);
      continue;
    }
    if (!last && (end >= length || (end === nextReturn && isCutApart(text, end)))) return start;
    const isEmpty = end === start;
    if (end === nextReturn && nextFeed === end + 1) end++;
    // A line end that was made one twice: CR CR LF.
    else if (end === nextReturn && nextFeed === end + 2 && text.charCodeAt(end + 1) === 13) end += 2;
    // Written back as it stood, a quote that is never closed would hide what follows.
    if (plain) rows.push({ cells, email: '' });
    else if (isEmpty) passed.lines++;
    else rows.push({ cells, email: '', text: text.slice(start, end + 1) });
    cells = [];
    plain = false;
    start = end + 1;
    at = start;
    if (nextFeed < at) nextFeed = position(text, '\n', at);
    if (nextReturn < at) nextReturn = position(text, '\r', at);
  }
  return cells.length > 0 ? start : at;
}

/** Whether a line end that begins at `end` may go on behind the text. */
function isCutApart(text: string, end: number): boolean {
  return end === text.length - 1 || (end === text.length - 2 && text.charCodeAt(end + 1) === 13);
}

/** Where `what` comes next, or the end of the text. */
function position(text: string, what: string, from: number): number {
  const found = text.indexOf(what, from);
  return found === -1 ? text.length : found;
}

/** The quote that ends a cell is the first that is not doubled. */
function closingQuote(text: string, open: number, last: boolean): number {
  let at = text.indexOf('"', open + 1);
  while (at !== -1) {
    // Whether the last quote so far is doubled, only what follows can tell.
    if (at + 1 === text.length) return last ? at : incomplete;
    if (text.charCodeAt(at + 1) !== quote) return at;
    at = text.indexOf('"', at + 2);
  }
  return incomplete;
}

/** The cells of a record as they are written, quotes and all. */
export function writtenCells(record: string, delimiter: string): string[] {
  const cells: string[] = [];
  for (let at = 0; ; ) {
    const close = record.charCodeAt(at) === quote ? closingQuote(record, at, true) : incomplete;
    const end = position(record, delimiter, close === incomplete ? at : close + 1);
    cells.push(record.slice(at, end));
    if (end === record.length) return cells;
    at = end + 1;
  }
}

/** Why a row is not read. */
export function tooLong(record: number, maxChars: number): Failure {
  return new Failure('bad_input', `Row ${record} is longer than ${count(maxChars)} characters.`, {
    hint: 'This is probably not a list. Take the row out, or give the addresses one per line.',
  });
}
