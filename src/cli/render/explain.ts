import { formatAmount } from '../../model/amount.js';
import { Failure } from '../../model/failure.js';
import { nearestName } from '../../model/nearest-name.js';
import {
  type CodeKind,
  explainReason,
  explainRowWord,
  explainSubStatus,
  knownCodes,
} from '../../model/text/sentences.js';
import { type Status, type SubStatus, statuses, statusOf } from '../../model/verdict.js';
import type { ReplyExplanation } from '../../service/diagnosis/reply-explanation.js';
import { sanitize } from '../terminal/sanitize.js';
import { paint, type Style, statusPaint } from './style/paint.js';
import { hang } from './style/text-layout.js';

type TextStyle = Omit<Style, 'unicode'>;

interface CodeEntry {
  code: string;
  kind: CodeKind;
  /** Null for a reason, which occurs with several statuses, and for a row. */
  status: Status | null;
  means: string;
  advice: string;
}

/** Every code, by kind. */
export function listCodes(): CodeEntry[] {
  return knownCodes().map(({ code, kind }) => {
    // A sub_status that only remote services send is risky.
    const status = Object.hasOwn(statusOf, code) ? statusOf[code as SubStatus] : 'risky';
    if (kind === 'sub_status') return { code, kind, status, ...explainSubStatus(code) };
    if (kind === 'row') return { code, kind, status: null, ...explainRowWord(code) };
    const advice = kind === 'syntax' ? explainSubStatus('failed_syntax_check').advice : '';
    return { code, kind, status: kind === 'syntax' ? 'invalid' : null, means: explainReason(code), advice };
  });
}

/** The entry of a code, or all entries of a status. Throws on an unknown code, and suggests the nearest one. */
export function findCode(text: string): CodeEntry | CodeEntry[] {
  // A reason may have a position, as in `label_too_long:12`.
  const code = text.trim().toLowerCase().replaceAll('-', '_').replace(/:\d+$/, '');
  const entries = listCodes();
  const entry = entries.find((each) => each.code === code && code !== '');
  if (entry !== undefined) return entry;
  if (statuses.some((status) => status === code)) return entries.filter(({ status }) => status === code);
  const codes = entries.map((entry) => entry.code).filter((each) => each !== '');
  const nearest =
    (code.length > 2 && codes.find((each) => each.includes(code))) || nearestName(code, [...codes, ...statuses]);
  throw new Failure('usage', `There is no code "${text.slice(0, 80)}".`, {
    hint: nearest === null ? 'All codes: mailvet explain' : `Did you mean ${nearest}? All codes: mailvet explain`,
  });
}

/** One code with its status, meaning and advice. */
export function renderCode({ code, kind, status, means, advice }: CodeEntry, { color, columns }: TextStyle): string {
  const chalk = paint(color);
  const verdict = status === null ? '' : `, ${statusPaint(chalk, status)(status)}`;
  const lines = [`${chalk.bold(sanitize(code))}  ${chalk.dim(kind)}${verdict}\n`, hang('  ', 2, means, columns)];
  if (advice !== '') lines.push(hang('  ', 2, advice, columns));
  return lines.join('');
}

const codeHeadings = {
  sub_status: 'sub_status: why an address has its status',
  row: 'rows: other words in a list',
  reason: 'reasons: what else was found',
  syntax: 'syntax: what is wrong with the spelling',
};
/** On narrower screens, the meaning is below the code. */
const minTableWidth = 70;

/** Codes in a table, with a heading for each kind. */
export function renderCodes(entries: readonly CodeEntry[], { color, columns }: TextStyle): string {
  const chalk = paint(color);
  const width = Math.max(...entries.map(({ code }) => code.length));
  const row = ({ code, kind, status, means }: CodeEntry): string => {
    const codeText = code === '' ? '""' : code;
    const word = kind !== 'sub_status' || status === null ? '' : status.padEnd(9);
    const verdict = status === null ? word : statusPaint(chalk, status)(word);
    if (columns < minTableWidth) return `  ${verdict}${codeText}\n${hang('    ', 4, means, columns)}`;
    return hang(`  ${verdict}${codeText.padEnd(width)}  `, 2 + word.length + width + 2, means, columns);
  };
  const tables = (['sub_status', 'row', 'reason', 'syntax'] as const).flatMap((kind) => {
    const rows = entries.filter((entry) => entry.kind === kind);
    return rows.length === 0 ? [] : [`${chalk.bold(codeHeadings[kind])}\n${rows.map(row).join('')}`];
  });
  return tables.join('\n');
}

/** A reply with the verdict that it leads to, and the rule that decided. */
export function renderReply(explained: ReplyExplanation, { color, columns }: TextStyle): string {
  const chalk = paint(color);
  const { reply, status, subStatus, certainty, rule, decidedBy, phrase, retryAfterSeconds, why } = explained;
  const verdict = statusPaint(chalk, status).bold(status);
  const code = subStatus === '' ? '' : ` (${subStatus})`;
  const { means, advice } = sentenceOf(explained);
  const line = (text: string, indent = 2) => hang(' '.repeat(indent), indent, sanitize(text), columns);
  return [
    line(`${reply.code} ${reply.text}`, 0),
    `  ${verdict}${code}\n`,
    line(`${means}${advice === '' ? '' : ` ${advice}`}`),
    retryAfterSeconds === null ? '' : line(`Try again after ${formatAmount(retryAfterSeconds, 'second')}.`),
    `\n  ${chalk.bold('Rule')}\n`,
    line(`${decidedBy} (${rule}), certainty ${certainty}${phrase === null ? '' : `, by the words "${phrase}"`}`, 4),
    why.length === 0 ? '' : `\n  ${chalk.bold('Why not otherwise')}\n`,
    ...why.map((each) => line(each, 4)),
  ].join('');
}

/** A reply as JSON, with the field names of results. */
export function replyToJson(explained: ReplyExplanation): Record<string, unknown> {
  const { reply, reason, status, subStatus, rule, decidedBy, phrase, certainty, retryAfterSeconds, vague, why } =
    explained;
  return {
    stage: reply.stage,
    code: reply.code,
    class: `${Math.floor(reply.code / 100)}xx`,
    enhanced: reply.enhanced,
    text: reply.text,
    reason,
    status,
    sub_status: subStatus,
    rule,
    decided_by: decidedBy,
    phrase,
    certainty,
    retry_after_seconds: retryAfterSeconds,
    vague,
    ...sentenceOf(explained),
    why,
  };
}

function sentenceOf({ subStatus, hasClearCause, vague }: ReplyExplanation): { means: string; advice: string } {
  if (subStatus === '') return { means: 'The mail server accepts this mailbox.', advice: '' };
  if (!hasClearCause) {
    return {
      means: 'The mail server does not clearly say why it refused: it may be the mailbox, or us.',
      advice: vague ? 'Ask the mail server about other mailboxes, too: mailvet validate ADDRESS --explain' : '',
    };
  }
  const { means, advice } = explainSubStatus(subStatus);
  return { means, advice };
}
