import { formatAmount } from '../../model/amount.js';
import type { Row } from '../rows.js';
import type { TextSource } from './decode/open-text.js';

/** Turns text, pushed in any pieces, into rows. */
export interface RowScanner {
  push(text: string): Row[];
  end(): Row[];
  /** How many lines were not rows: empty ones and, in a list of lines, comments. */
  skippedLines(): number;
  /** What was lost, in sentences. */
  warnings(): string[];
}

/** How many more rows to read, over all lists together. Rows beyond that are not counted, and cause no notes. */
export interface RowBudget {
  left: number;
}

/** Takes the rows that a budget allows. */
export function takeRows(rows: Row[], budget: RowBudget | undefined): Row[] {
  if (budget === undefined) return rows;
  const taken = rows.slice(0, budget.left);
  budget.left -= taken.length;
  return taken;
}

/** The rows of a text from a position of its sample on, after `first` ones. Reads no further than the budget allows. */
export async function* readRows(
  text: TextSource,
  { push, end }: Pick<RowScanner, 'push' | 'end'>,
  { start = 0, first = () => [], budget }: { start?: number; first?: () => Row[]; budget?: RowBudget | undefined } = {},
): AsyncGenerator<Row[]> {
  try {
    if (budget?.left === 0) return;
    let rows = first();
    if (rows.length > 0) yield rows;
    for await (const piece of text.pieces(start)) {
      if (budget?.left === 0) return;
      rows = push(piece);
      if (rows.length > 0) yield rows;
    }
    rows = budget?.left === 0 ? [] : end();
    if (rows.length > 0) yield rows;
  } finally {
    await text.close();
  }
}

/** The warning about lines of which only the beginning was read; none for none. */
export function truncatedWarnings(count: number): string[] {
  if (count === 0) return [];
  const lines = count === 1 ? '1 line is' : `${formatAmount(count, 'line')} are`;
  return [`${lines} longer than the line limit, truncated.`];
}
