import Table from 'cli-table3';
import { sanitise } from '../sanitise.js';
import { paint } from './paint.js';

/** A small table of known size with a header, for people; cells are made safe. */
export function renderGrid(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
  style: { colour: boolean },
): string {
  const chalk = paint(style.colour);
  const none = '';
  const table = new Table({
    head: headers.map((header) => chalk.bold(sanitise(header))),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
    chars: {
      top: none,
      'top-mid': none,
      'top-left': none,
      'top-right': none,
      bottom: none,
      'bottom-mid': none,
      'bottom-left': none,
      'bottom-right': none,
      left: none,
      'left-mid': none,
      mid: none,
      'mid-mid': none,
      right: none,
      'right-mid': none,
      middle: none,
    },
  });
  for (const row of rows) table.push(row.map(sanitise));
  return `${table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')}\n`;
}
