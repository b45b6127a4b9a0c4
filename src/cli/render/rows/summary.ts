import { count } from '../../../model/amount.js';
import { countWords, type RunSummary } from '../../../model/result.js';
import { paint } from '../style/paint.js';
import { statusPaint } from '../style/verdict-style.js';

/** The counts of a run in one line for people. */
export function renderSummary(summary: RunSummary, style: { colour: boolean }): string {
  const chalk = paint(style.colour);
  const parts = countWords.map((word) => statusPaint(chalk, word)(`${count(summary[`${word}_count`])} ${word}`));
  return `${chalk.bold(count(summary.total))} ${summary.total === 1 ? 'row' : 'rows'}: ${parts.join(', ')}\n`;
}
