import type { ChalkInstance } from 'chalk';
import Table from 'cli-table3';
import { safeText } from '../../../model/text/safe-text.js';
import { paint } from './paint.js';
import { textWidth } from './text-layout.js';

/** The names of border characters in cli-table3. */
const sides = ['', '-mid', '-left', '-right'];
const borders = [
  ...['top', 'bottom'].flatMap((edge) => sides.map((side) => `${edge}${side}`)),
  ...['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'],
];

/**
 * A table without borders if it fits the screen, otherwise a block of lines for each row. Cells are sanitized.
 * With `titled`, the first header is a line above the blocks.
 */
export function renderFittingGrid(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
  { color, columns }: { color: boolean; columns: number },
  { titled = false } = {},
): string {
  const render = (chalk: ChalkInstance): string => {
    const table = new Table({
      head: headers.map((header) => chalk.bold(safeText(header))),
      style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
      chars: Object.fromEntries(borders.map((name) => [name, ''])),
    });
    for (const row of rows) table.push(row.map(safeText));
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
