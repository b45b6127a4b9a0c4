import type { BulkAnswer } from '../../../model/result.js';
import type { Layout, Row } from '../../../rows/rows.js';
import type { Style } from '../style/paint.js';

/** The layout of a list, and the columns that were vetted. */
export interface ListLayout extends Layout {
  emailColumns?: readonly number[];
}

/** The layout of addresses that are not in a list. */
export const addressLayout: ListLayout = { columns: ['email'], hasHeader: true, delimiter: ',' };

/** How results are shown. */
export interface RowStyle extends Style {
  /** What the results belong to: an address, several of a command line or stdin, a list, or a job. */
  subject: 'address' | 'addresses' | 'list' | 'job';
  isTty: boolean;
  /** The fields to show instead of the default ones. */
  fields: readonly string[] | null;
  /** The file, whose extension may select a variant of the format. */
  path?: string | null;
}

/** Encodes results in a format: the head, some rows, and the end. */
export interface RowWriter {
  begin(layout: ListLayout): Uint8Array;
  rows(rows: readonly Row[], answers: readonly BulkAnswer[]): Uint8Array;
  /** `summary`: the counts of all rows. */
  end(summary: object): Uint8Array | Promise<Uint8Array>;
}

/** A text format. */
export interface TextRows {
  begin?(layout: ListLayout): string;
  /** The text before some rows, such as a heading that depends on them. */
  beforeRows?(answers: readonly BulkAnswer[]): string;
  row(row: Row, answer: BulkAnswer): string;
  end?(summary: object): string;
  /** UTF-8 by default. */
  toBytes?(text: string): Uint8Array;
}

/** Encodes a text format. */
export function textWriter({ begin, beforeRows, row: render, end, toBytes = Buffer.from }: TextRows): RowWriter {
  return {
    begin: (layout) => toBytes(begin?.(layout) ?? ''),
    rows: (rows, answers) => {
      let text = answers.length === 0 ? '' : (beforeRows?.(answers) ?? '');
      for (let index = 0; index < rows.length; index++) {
        const [row, answer] = [rows[index], answers[index]];
        if (row !== undefined && answer !== undefined) text += render(row, answer);
      }
      return toBytes(text);
    },
    end: (summary) => toBytes(end?.(summary) ?? ''),
  };
}

/** A value of a result by its dotted path; null if it is absent. */
export function pick(value: unknown, path: string): unknown {
  let current: unknown = value;
  for (const name of path.split('.')) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name)) return null;
    current = (current as Record<string, unknown>)[name];
  }
  return current ?? null;
}

/** A value as the text of one cell. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(' ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
