import type { RowVerdict } from '../../model/job.js';
import { widenRow } from './encode-row.js';

/** The columns that a verdict adds to the input's own. */
export const verdictColumns: readonly string[] = [
  'mailvet_status',
  'mailvet_sub_status',
  'mailvet_confidence',
  'mailvet_safe_to_send',
  'mailvet_did_you_mean',
];

/** What stands in those columns; nothing while there is no verdict. */
export function verdictCells(verdict: RowVerdict | null): string[] {
  if (verdict === null) return ['', '', '', '', ''];
  const { status, sub_status, confidence, safe_to_send, did_you_mean } = verdict;
  return [status, sub_status, String(confidence), String(safe_to_send), did_you_mean ?? ''];
}

/** Where verdicts stand in a table. */
export interface VerdictPlaces {
  /** The heading of the table with its verdicts. */
  columns: readonly string[];
  /** True where no column of the input is one of ours, so that the verdict simply follows. */
  follows: boolean;
  /** A row with its verdict; what a long row has too much goes last. */
  place(cells: readonly string[], verdict: readonly string[]): readonly string[];
}

/**
 * The verdict takes the columns of an earlier run, which have just our names, and those that are missing follow the input's own. A
 * table without a header has no names to go by.
 */
export function placeVerdict(columns: readonly string[], hasHeader: boolean): VerdictPlaces {
  const earlier = columns.map((name) => (hasHeader ? verdictColumns.indexOf(name) : -1));
  const missing = verdictColumns.map((_, index) => index).filter((index) => !earlier.includes(index));
  return {
    columns: [...columns, ...missing.map((index) => verdictColumns[index] ?? '')],
    follows: missing.length === verdictColumns.length,
    place: (cells, verdict) => {
      if (missing.length === verdictColumns.length) return widenRow(cells, columns.length, verdict);
      const own = earlier.map((place, index) => (place === -1 ? cells[index] : verdict[place]) ?? '');
      return [...own, ...missing.map((index) => verdict[index] ?? ''), ...cells.slice(columns.length)];
    },
  };
}
