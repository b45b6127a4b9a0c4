import { sanitize } from '../../terminal/sanitize.js';
import { paint } from '../style/paint.js';
import { statusPaint } from '../style/verdict-style.js';
import { hang } from '../style/wrap.js';
import type { CodeEntry } from './code-list.js';

interface Style {
  color: boolean;
  columns: number;
}

const headings = {
  sub_status: 'sub_status: why an address is what it is',
  reason: 'reasons: what else was found',
  syntax: 'syntax: what is wrong with the spelling',
};
/** Below this the sentence stands beneath the code instead of beside it. */
const narrow = 70;

/** One code: the word it belongs to, the sentence, and what to do. */
export function renderCode({ code, kind, status, means, advice }: CodeEntry, { color, columns }: Style): string {
  const chalk = paint(color);
  const verdict = status === null ? '' : `, ${statusPaint(chalk, status)(status)}`;
  const lines = [`${chalk.bold(sanitize(code))}  ${chalk.dim(kind)}${verdict}\n`, hang('  ', 2, means, columns)];
  if (advice !== '') lines.push(hang('  ', 2, advice, columns));
  return lines.join('');
}

/** Codes in a table, each kind under its heading. */
export function renderCodes(entries: readonly CodeEntry[], { color, columns }: Style): string {
  const chalk = paint(color);
  const width = Math.max(...entries.map(({ code }) => code.length));
  const kinds = (['sub_status', 'reason', 'syntax'] as const).filter((kind) => entries.some((e) => e.kind === kind));
  return kinds
    .map((kind) => {
      const rows = entries.filter((entry) => entry.kind === kind);
      return `${chalk.bold(headings[kind])}\n${rows.map((entry) => row(entry, width, columns, color)).join('')}`;
    })
    .join('\n');
}

function row({ code, kind, status, means }: CodeEntry, width: number, columns: number, color: boolean): string {
  const chalk = paint(color);
  const shown = code === '' ? '""' : code;
  const word = kind !== 'sub_status' || status === null ? '' : status.padEnd(9);
  const verdict = status === null ? word : statusPaint(chalk, status)(word);
  if (columns < narrow) return `  ${verdict}${shown}\n${hang('    ', 4, means, columns)}`;
  return hang(`  ${verdict}${shown.padEnd(width)}  `, 2 + word.length + width + 2, means, columns);
}
