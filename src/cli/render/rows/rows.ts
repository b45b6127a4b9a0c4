import type { BulkAnswer, BulkSummary } from '../../../model/result.js';
import type { Layout, Row } from '../../../rows/rows.js';

/** How many addresses changed since an earlier output. */
export interface ChangeCounts {
  new: number;
  same: number;
  changed: number;
  gone: number;
}

/** The counts of a run, without its rows. */
export interface RunSummary extends Omit<BulkSummary, 'results'> {
  /** The run stopped before the end of its input. */
  incomplete?: true;
  /** Rows that were read and got no answer; they are not in the total. */
  unanswered_count?: number;
  /** Rows without an address; they are not in the total. */
  empty_count?: number;
  /** Where the run was compared with an earlier output. */
  changes?: ChangeCounts;
}

/** How a list is written, and which of its columns were vetted. */
export interface ListLayout extends Layout {
  emailColumns?: readonly number[];
  /** Columns of ours beside the verdict's. */
  added?: readonly string[];
}

/** Results as text, chunk by chunk. Rows and answers of a chunk belong together by index. */
export interface RowRenderer {
  begin(layout: ListLayout): string;
  rows(rows: readonly Row[], answers: readonly BulkAnswer[]): string;
  end(summary: RunSummary): string;
}

export interface RowStyle {
  colour: boolean;
  columns: number;
  unicode: boolean;
  fields: readonly string[] | null;
  /** Cells are written as they stand, even those that a spreadsheet would run. */
  raw?: boolean;
}
