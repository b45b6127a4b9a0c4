import type { BulkAnswer, RunSummary } from '../../../model/result.js';
import type { Layout, Row } from '../../../rows/rows.js';

/** How a list is written, and which of its columns were vetted. */
export interface ListLayout extends Layout {
  emailColumns?: readonly number[];
  /** Columns of ours beside the verdict's. */
  added?: readonly string[];
}

/** Results as text, row by row; what is not there to begin or to end with is left out. */
export interface RowRenderer {
  begin?(layout: ListLayout): string;
  row(row: Row, answer: BulkAnswer): string;
  end?(summary: RunSummary): string;
}

export interface RowStyle {
  colour: boolean;
  columns: number;
  unicode: boolean;
  fields: readonly string[] | null;
  /** Cells are written as they stand, even those that a spreadsheet would run. */
  raw?: boolean;
}
