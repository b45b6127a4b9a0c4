import { count } from '../../../model/amount.js';
import type { RunSummary } from '../../commands/bulk/summary.js';
import { paint } from '../style/paint.js';
import { statusPaint } from '../style/verdict-style.js';

/** The counts of a run in one line for people. */
export function renderSummary(summary: RunSummary, style: { colour: boolean }): string {
  const chalk = paint(style.colour);
  const parts = [
    statusPaint(chalk, 'valid')(`${count(summary.valid_count)} valid`),
    statusPaint(chalk, 'invalid')(`${count(summary.invalid_count)} invalid`),
    statusPaint(chalk, 'risky')(`${count(summary.risky_count)} risky`),
    statusPaint(chalk, 'unknown')(`${count(summary.unknown_count)} unknown`),
    `${count(summary.duplicate_count)} duplicate`,
  ];
  return `${chalk.bold(count(summary.total))} ${summary.total === 1 ? 'row' : 'rows'}: ${parts.join(', ')}\n`;
}
