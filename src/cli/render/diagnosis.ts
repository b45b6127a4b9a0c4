import type { ChalkInstance } from 'chalk';
import { formatAmount } from '../../model/amount.js';
import { signOf } from '../../model/text/status-sign.js';
import { type Check, type CheckState, titleOf, titles } from '../../service/diagnosis/check.js';
import { sanitize } from '../terminal/sanitize.js';
import { paint, type Style, statusPaint } from './style/paint.js';
import { hang, hangSentence, wrap } from './style/text-layout.js';

/** The status with the same sign and color; `skipped` has its own. */
const asStatus = { ok: 'valid', warn: 'risky', fail: 'invalid' } as const;
const titleWidth = Math.max(...Object.values(titles).map((title) => title.length));
/** On narrower screens, the text is below the title. */
const minTableWidth = 60;

/** One check: its state, title, finding and hint. */
export function renderCheck({ name, state, message, hint }: Check, { color, columns, unicode }: Style): string {
  const chalk = paint(color);
  const title = titleOf(name);
  const sign = state === 'skipped' ? '-' : signOf(asStatus[state], unicode);
  const head = `${paintOf(chalk, state)(`${sign} ${state.padEnd(7)}`)}  ${chalk.bold(title)}`;
  const isTable = columns >= minTableWidth;
  const indent = isTable ? 11 + titleWidth + 2 : 4;
  const first = isTable ? `${head}${' '.repeat(titleWidth - title.length + 2)}` : `${head}\n${' '.repeat(indent)}`;
  const row = hang(first, indent, sanitize(message), columns);
  if (hint === null || state === 'ok') return row;
  return (
    row + hangSentence(`${' '.repeat(indent)}${chalk.cyan(unicode ? '→' : '>')} `, indent + 2, sanitize(hint), columns)
  );
}

/** The last line, with the number of failures and warnings. */
export function renderConclusion(checks: readonly Check[], { color, columns }: Style): string {
  const chalk = paint(color);
  const count = (state: CheckState) => checks.filter((check) => check.state === state).length;
  const failed = count('fail');
  const warned = count('warn');
  const warnings = warned === 0 ? '' : ` ${formatAmount(warned, 'warning')}.`;
  if (failed === 0) return `\n${hang('', 0, `Nothing failed.${warnings}`, columns)}`;
  const lines = wrap(`${formatAmount(failed, 'check')} of ${checks.length} failed.${warnings}`, columns);
  return `\n${lines.map((line) => `${paintOf(chalk, 'fail')(line)}\n`).join('')}`;
}

/** All checks as JSON. */
export function toJson(checks: readonly Check[]): { ok: boolean; checks: Record<string, unknown>[] } {
  return {
    ok: checks.every(({ state }) => state !== 'fail'),
    checks: checks.map(({ facts, ...check }) => ({ ...check, ...facts })),
  };
}

function paintOf(chalk: ChalkInstance, state: CheckState): (text: string) => string {
  return state === 'skipped' ? chalk.dim : statusPaint(chalk, asStatus[state]);
}
