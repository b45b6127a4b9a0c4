import type { Row } from '../rows.js';
import { addressesInText, addressIn, severalAddresses } from './find-addresses.js';
import type { RowScanner } from './pump-rows.js';

/** The row of an input that has one column. A text too long to be an address is shortened, so that none fills memory or screen. */
export function singleCell(text: string): Row {
  const email = addressIn(text);
  return { cells: [email], email };
}

/** Splits text into lines, whatever ends them. A line over the limit loses its tail, so that none fills the memory. */
export function createLineSplitter(maxChars: number): { push(text: string): string[]; end(): string[] } {
  let rest = '';
  let skipping = false;
  return {
    push(text) {
      const lines = (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text).split('\n');
      const tail = lines.pop() ?? '';
      if (lines.length > 0) {
        if (skipping) lines[0] = rest;
        else if (rest !== '') lines[0] = rest + lines[0];
        skipping = false;
        rest = tail;
      } else if (!skipping) {
        rest += tail;
      }
      if (rest.length > maxChars) {
        rest = rest.slice(0, maxChars);
        skipping = true;
      }
      return lines;
    },
    end() {
      const lines = rest === '' ? [] : [rest];
      rest = '';
      return lines;
    },
  };
}

/** What a list of lines may hold beside addresses: a note to its reader. What holds an @ may be meant as an address. */
export function isComment(line: string): boolean {
  return line.startsWith('#') && !line.includes('@');
}

const maxLineChars = 64 * 1024;

/** One address per line, or several. Empty lines, and lines that start with # and hold no @, are not rows. */
export function createLineScanner(maxChars = maxLineChars): RowScanner {
  return byLine(maxChars, (line, rows) => {
    const row = singleCell(line);
    if (row.email === '' || isComment(row.email)) return;
    const several = severalAddresses(line);
    if (several === null) rows.push(row);
    else for (const address of several) rows.push(singleCell(address));
  });
}

/** Every address that stands anywhere in a text. */
export function createTextScanner(): RowScanner {
  return byLine(maxLineChars, (line, rows) => {
    for (const address of addressesInText(line)) rows.push(singleCell(address));
  });
}

function byLine(maxChars: number, add: (line: string, rows: Row[]) => void): RowScanner {
  const splitter = createLineSplitter(maxChars);
  const toRows = (lines: string[]): Row[] => {
    const rows: Row[] = [];
    for (const line of lines) add(line, rows);
    return rows;
  };
  return { push: (text) => toRows(splitter.push(text)), end: () => toRows(splitter.end()) };
}
