import type { Failure } from '../../model/failure.js';
import { hangSentence } from '../render/style/text-layout.js';
import { sanitize } from './sanitize.js';

/** A line for stderr: `note: …`, wrapped to the columns of a terminal, or one line of JSON. */
export function renderNote(
  label: 'note' | 'warning' | 'trace',
  text: string,
  { json = false, columns }: { json?: boolean; columns?: number },
): string {
  if (json) return `${JSON.stringify({ [label]: { message: text } })}\n`;
  const prefix = `${label}: `;
  const safe = sanitize(text);
  return columns === undefined ? `${prefix}${safe}\n` : hangSentence(prefix, prefix.length, safe, columns);
}

type ReportStyle = { json: boolean; verbose: boolean; color: boolean; columns?: number };

/** A Failure as a sentence with its hint, or as one line of JSON; with the stack if `verbose`. */
export function renderFailure(
  failure: Failure,
  { json, verbose, color, columns = Number.POSITIVE_INFINITY }: ReportStyle,
): string {
  if (json) {
    const { code, message, hint } = failure;
    return `${JSON.stringify({ error: { code, message, hint, ...(verbose ? { stack: stackOf(failure) } : {}) } })}\n`;
  }
  const label = color ? '\x1b[31merror:\x1b[39m' : 'error:';
  const sentence = hangSentence(`${label} `, 'error: '.length, sanitize(failure.message), columns);
  const hint = failure.hint === null ? '' : hangSentence('  ', 2, sanitize(failure.hint), columns);
  const stack = verbose ? `${stackOf(failure).split('\n').map(sanitize).join('\n')}\n` : '';
  return sentence + hint + stack;
}

function stackOf(failure: Failure): string {
  const parts: string[] = [];
  let thrown: unknown = failure;
  for (let depth = 0; thrown instanceof Error && depth < 5; depth++) {
    parts.push(thrown.stack ?? thrown.message);
    thrown = thrown.cause;
  }
  return parts.join('\ncaused by: ');
}
