import type { Row } from '../rows.js';
import type { TextSource } from './decode/open-text.js';
import type { ListStatsCollector } from './list-stats.js';

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

/** A scanner whose rows are counted, within a budget. */
export function countRows(
  scanner: RowScanner,
  budget: RowBudget | undefined,
  count: (rows: Row[]) => void,
): RowScanner {
  const take = (found: Row[]): Row[] => {
    const rows = budget === undefined ? found : found.slice(0, budget.left);
    if (budget !== undefined) budget.left -= rows.length;
    count(rows);
    return rows;
  };
  return { ...scanner, push: (text) => take(scanner.push(text)), end: () => take(scanner.end()) };
}

interface ListOptions {
  columns: string[];
  /** Where the addresses are, for a sentence. */
  place: string;
  budget: RowBudget | undefined;
  /** The position in the sample where reading starts. */
  start?: number;
}

/** The properties that lists of all formats have in common. */
export function listSource(
  text: TextSource,
  scanner: RowScanner,
  collector: ListStatsCollector,
  { columns, place, budget, start = 0 }: ListOptions,
) {
  return {
    columns,
    hasHeader: false,
    delimiter: ',',
    totalBytes: text.totalBytes,
    bytesRead: text.bytesRead,
    chunks: readRows(text, scanner, start, budget),
    stats: () => collector.stats,
    skippedLines: () => scanner.skippedLines(),
    summarize: (): string | null => collector.summarize(place, columns, scanner.skippedLines()),
    notes: () => [...text.notes(), ...collector.notes()],
    warnings: () => [...text.warnings, ...scanner.warnings(), ...collector.warnings()],
    close: text.close,
  };
}

/** The rows of a text from a position of its sample on. Reads no further than the budget allows. */
export async function* readRows(
  text: TextSource,
  { push, end }: Pick<RowScanner, 'push' | 'end'>,
  start = 0,
  budget?: RowBudget,
): AsyncGenerator<Row[]> {
  try {
    if (budget?.left === 0) return;
    // Rows of the sample come before the next piece, for which a pipe may wait.
    let rows = push('');
    if (rows.length > 0) yield rows;
    for await (const piece of text.pieces(start)) {
      rows = push(piece);
      if (rows.length > 0) yield rows;
      if (budget?.left === 0) return;
    }
    rows = end();
    if (rows.length > 0) yield rows;
  } finally {
    await text.close();
  }
}
