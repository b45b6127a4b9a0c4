import { statusOf } from '../../engine/judge.js';
import { Failure } from '../../model/failure.js';
import { type Status, type SubStatus, statuses } from '../../model/verdict.js';
import { type CodeKind, explainReason, explainSubStatus, knownCodes } from './sentences.js';

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
  const near = nearest(
    code,
    entries.map((entry) => entry.code),
  );
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

/** The code that is fewest letters away, if it is near enough to be meant. */
function nearest(code: string, codes: readonly string[]): string | null {
  let best: { code: string; distance: number } | null = null;
  for (const each of codes) {
    const distance = each !== '' && code.length > 2 && each.includes(code) ? 1 : letterDistance(code, each);
    if (distance <= Math.max(2, each.length / 3) && (best === null || distance < best.distance)) {
      best = { code: each, distance };
    }
  }
  return best === null || best.code === '' ? null : best.code;
}

function letterDistance(one: string, other: string): number {
  // No code is longer, and a long word costs its square.
  if (one.length > 60) return one.length;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1];
    for (const [j, theirs] of [...other].entries()) {
      const swap = (row[j] ?? 0) + (letter === theirs ? 0 : 1);
      next.push(Math.min(swap, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
