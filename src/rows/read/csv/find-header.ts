import type { Row } from '../../rows.js';
import { mostColumns, nameRank } from '../email-column.js';
import { holdsAddress } from '../find-addresses.js';

/** Titles, dates and comments above a header are few. */
const maxJunkRecords = 25;

/** Where the header of a table is among its first records, if it has one, and so how many records of junk stand above the rows. */
interface FoundHeader {
  junk: number;
  hasHeader: boolean;
}

/** The header is the first record, unless an address in it says that there is none, or what follows is more of a header. */
export function findHeader(records: readonly Row[]): FoundHeader {
  const [first] = records;
  if (first === undefined) return { junk: 0, hasHeader: true };
  const looked = records.slice(0, maxJunkRecords);
  const data = looked.findIndex(({ cells }) => cells.some(holdsAddress));
  const above = data === -1 ? looked : looked.slice(0, data);
  if (data === 0) return { junk: 0, hasHeader: false };
  if (isNamed(first) && filled(first) > 1) return { junk: 0, hasHeader: true };
  const named = above.findIndex(isNamed);
  if (named > 0 && above.slice(0, named).every((record) => filled(record) < filled(above[named] ?? first))) {
    return { junk: named, hasHeader: true };
  }
  if (named === 0) return { junk: 0, hasHeader: true };
  // A title or a comment has one cell where the rows have many.
  const width = looked[data]?.cells.length ?? 0;
  const junk = above.findIndex((record) => filled(record) > 1);
  if (width > 1 && data > 0 && filled(first) <= 1) {
    return junk === -1 ? { junk: above.length, hasHeader: false } : { junk, hasHeader: true };
  }
  return { junk: 0, hasHeader: true };
}

function isNamed({ cells }: Row): boolean {
  return cells.slice(0, mostColumns).some((cell) => nameRank(cell) === 2);
}

function filled({ cells }: Row): number {
  return cells.reduce((sum, cell) => sum + (cell.trim() === '' ? 0 : 1), 0);
}
