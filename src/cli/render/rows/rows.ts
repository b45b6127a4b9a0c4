import type { BulkAnswer } from '../../../model/result.js';
import type { RunSummary } from '../../commands/bulk/summary.js';

/** The input's layout, for formats that write it back. */
export interface Layout {
  columns: readonly string[];
  hasHeader: boolean;
  delimiter: string;
}

/** A row of input, as far as output needs it. */
export interface InputRow {
  cells: readonly string[];
  email: string;
}

/** Results as text, chunk by chunk. Rows and answers of a chunk belong together by index. */
export interface RowRenderer {
  begin(layout: Layout): string;
  rows(rows: readonly InputRow[], answers: readonly BulkAnswer[]): string;
  end(summary: RunSummary): string;
}

export interface RowStyle {
  colour: boolean;
  columns: number;
  fields: readonly string[] | null;
}
