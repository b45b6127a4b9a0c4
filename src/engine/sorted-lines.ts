import { readDataFile } from './data-file.js';

/** A text file of lines, sorted by byte, that answers whether it has a line. */
export interface SortedLines {
  has(line: string): boolean;
}

const newline = 10;

/** Reads the file at the first question and searches its bytes as they are: no parsing, no copy, no line in memory twice. */
export function openSortedLines(url: URL): SortedLines {
  let bytes: Buffer | undefined;
  return {
    has(line) {
      bytes ??= readDataFile(url);
      return hasLine(bytes, line);
    },
  };
}

function hasLine(bytes: Buffer, line: string): boolean {
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    let start = (low + high) >>> 1;
    while (start > low && bytes[start - 1] !== newline) start--;
    let at = start;
    let index = 0;
    while (index < line.length && bytes[at] !== newline && bytes[at] === line.charCodeAt(index)) {
      at++;
      index++;
    }
    const lineEnded = at >= bytes.length || bytes[at] === newline;
    if (index === line.length && lineEnded) return true;
    if (index === line.length || (!lineEnded && (bytes[at] ?? 0) > line.charCodeAt(index))) {
      high = start;
      continue;
    }
    while (at < bytes.length && bytes[at] !== newline) at++;
    low = at + 1;
  }
  return false;
}
