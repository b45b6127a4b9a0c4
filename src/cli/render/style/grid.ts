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

/** A table without borders. Cells are sanitized. */
function renderGrid(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
  style: { color: boolean },
): string {
  const chalk = paint(style.color);
  const table = new Table({
    head: headers.map((header) => chalk.bold(safeText(header))),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
    chars: Object.fromEntries(borders.map((name) => [name, ''])),
  });
  for (const row of rows) table.push(row.map(safeText));
  return `${table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')}\n`;
}

/** A table if it fits the screen, otherwise a block of lines for each row. */
export function renderFittingGrid(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
  style: { color: boolean; columns: number },
): string {
  const plain = renderGrid(headers, rows, { color: false });
  if (plain.split('\n').every((line) => textWidth(line) <= style.columns)) {
    return style.color ? renderGrid(headers, rows, style) : plain;
  }
  const width = Math.max(...headers.map((header) => header.length)) + 2;
  const block = ([first = '', ...rest]: readonly string[]): string =>
    [
      safeText(first),
      ...rest.flatMap((cell, index) =>
        cell === '' ? [] : [`  ${(headers[index + 1] ?? '').padEnd(width)}${safeText(cell)}`],
      ),
    ].join('\n');
  return `${rows.map(block).join('\n')}\n`;
}
