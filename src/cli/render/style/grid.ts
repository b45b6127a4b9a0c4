import type { ChalkInstance } from 'chalk';
import Table from 'cli-table3';
import { safeText } from '../../../model/text/safe-text.js';
import { paint } from './paint.js';
import { flow, textWidth } from './text-layout.js';

/** The names of border characters in cli-table3. */
const sides = ['', '-mid', '-left', '-right'];
const borders = [
  ...['top', 'bottom'].flatMap((edge) => sides.map((side) => `${edge}${side}`)),
  ...['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'],
];

/**
 * A table without borders if it fits the screen, otherwise a block of lines for each row. Cells are sanitized.
 * With `titled`, the first header is a line above the blocks. With `wraps`, long cells are wrapped as long as they fit.
 */
export function renderFittingGrid(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
  { color, columns }: { color: boolean; columns: number },
  { titled = false, wraps = false } = {},
): string {
  const safeRows = rows.map((row) => row.map(safeText));
  const widths = wraps ? fittingWidths([headers, ...safeRows], columns) : null;
  const render = (chalk: ChalkInstance): string => {
    const table = new Table({
      head: headers.map((header) => chalk.bold(safeText(header))),
      style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
      chars: Object.fromEntries(borders.map((name) => [name, ''])),
    });
    for (const row of safeRows) {
      // A path or a list is broken between its parts.
      const parts = row.map((cell) => cell.split(/(?<=[\s/,])/).map((text) => ({ text })));
      const wrapped = (at: number) => flow('', 0, parts[at] ?? [], { between: '', columns: widths?.[at] ?? 0 });
      table.push(widths === null ? row : row.map((_, at) => wrapped(at).trimEnd()));
    }
    return `${table.toString().replace(/ +$/gm, '')}\n`;
  };
  const plain = render(paint(false));
  if (plain.split('\n').every((line) => textWidth(line) <= columns)) return color ? render(paint(true)) : plain;
  const width = Math.max(...headers.map((header) => header.length)) + 2;
  const block = ([first = '', ...rest]: readonly string[]): string => {
    const lines = rest.map((cell, index) => `  ${(headers[index + 1] ?? '').padEnd(width)}${safeText(cell)}`);
    return [safeText(first), ...lines.filter((_, index) => rest[index] !== '')].join('\n');
  };
  const title = titled ? `${paint(color).bold(safeText(headers[0] ?? ''))}\n` : '';
  return `${title}${rows.map(block).join('\n')}\n`;
}

const minWrappedWidth = 16;

/** The widths of columns that fit the screen, the widest ones narrowed; null if they do not fit. The first is kept. */
function fittingWidths(rows: readonly (readonly string[])[], columns: number): number[] | null {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => textWidth(row[at] ?? ''))));
  const gaps = 2 * (widths.length - 1);
  const excess = (): number => widths.reduce((sum, width) => sum + width, gaps) - columns;
  while (excess() > 0) {
    const widest = widths.indexOf(Math.max(...widths.slice(1)), 1);
    const width = widths[widest] ?? 0;
    if (width <= minWrappedWidth) return null;
    widths[widest] = width - 1;
  }
  return widths;
}
