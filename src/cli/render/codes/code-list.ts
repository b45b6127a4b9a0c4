import { Failure } from '../../../model/failure.js';
import { nearestName } from '../../../model/nearest-name.js';
import { type CodeKind, explainReason, explainSubStatus, knownCodes } from '../../../model/text/sentences.js';
import { type Status, type SubStatus, statuses, statusOf } from '../../../model/verdict.js';

/** A code with all that is said of it. */
export interface CodeEntry {
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
