import { Failure } from '../../../model/failure.js';
import { nearestName } from '../../../model/nearest-name.js';
import { type CodeKind, explainReason, explainSubStatus, knownCodes } from '../../../model/text/sentences.js';
import { type Status, type SubStatus, statuses, statusOf } from '../../../model/verdict.js';
import { sanitize } from '../../terminal/sanitize.js';
import { paint, statusPaint } from '../style/paint.js';
import { hang } from '../style/text-layout.js';

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

/** A code with all that is said of it. */
interface CodeEntry {
  code: string;
  kind: CodeKind;
  /** The word that it belongs to; null for what only goes along with others. */
  status: Status | null;
  means: string;
  /** What to do; may be empty. */
  advice: string;
}

/** Every code, by kind and then in the order of the tables. */
export function listCodes(): CodeEntry[] {
  return knownCodes().map(({ code, kind }) => entryOf(code, kind));
}

/** The entry of a code, or all that a status has; a code that is none is the Failure `usage` with the nearest one. */
export function findCode(asked: string): CodeEntry | CodeEntry[] {
  // A reason may carry its position, as `label_too_long:12`.
  const code = asked.trim().toLowerCase().replaceAll('-', '_').replace(/:\d+$/, '');
  const entries = listCodes();
  const found = entries.find((entry) => entry.code === code && code !== '');
  if (found !== undefined) return found;
  if (statuses.some((status) => status === code)) return entries.filter(({ status }) => status === code);
  const codes = entries.map((entry) => entry.code).filter((each) => each !== '');
  const near = (code.length > 2 && codes.find((each) => each.includes(code))) || nearestName(code, codes);
  throw new Failure('usage', `There is no code "${asked.slice(0, 80)}".`, {
    hint: near === null ? 'All codes: mailvet explain' : `Did you mean ${near}? All codes: mailvet explain`,
  });
}

function entryOf(code: string, kind: CodeKind): CodeEntry {
  if (kind === 'sub_status') return { code, kind, status: statusOfSub(code), ...explainSubStatus(code) };
  const advice = kind === 'syntax' ? explainSubStatus('failed_syntax_check').advice : '';
  return { code, kind, status: kind === 'syntax' ? 'invalid' : null, means: explainReason(code), advice };
}

/** What only a remote service says is a risk. */
function statusOfSub(code: string): Status {
  return Object.hasOwn(statusOf, code) ? statusOf[code as SubStatus] : 'risky';
}
