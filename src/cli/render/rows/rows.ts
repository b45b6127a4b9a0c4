import type { BulkAnswer, BulkSummary } from '../../../model/result.js';

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

/** The counts of a run, without its rows. */
export interface RunSummary extends Omit<BulkSummary, 'results'> {
  /** The run stopped before the end of its input. */
  incomplete?: true;
  /** Rows that were read and got no answer; they are not in the total. */
  unanswered_count?: number;
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
