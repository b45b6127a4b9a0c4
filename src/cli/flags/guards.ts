import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { formatAmount, formatNumber } from '../../model/amount.js';
import { Failure } from '../../model/failure.js';
import { type Counts, countWords, type RunSummary } from '../../model/result.js';
import { quotedName } from '../../model/text/shell-word.js';
import { type Format, formatKind } from '../render/rows/formats.js';

/** Conditions under which an output is rejected. */
export interface Guards {
  failOn: ReadonlySet<string>;
  /** The largest ratio of unknown addresses: 0..1. */
  maxUnknown: number | null;
  minRows: number | null;
  /** Shares of the last output: the minimum of rows, and the maximum of addresses that are gone or have another status. */
  minRowsShare: number | null;
  maxGone: number | null;
  maxChanged: number | null;
}

/**
 * The earlier output to compare with: of `--since`, or the one that is about to be replaced if a guard needs it; null
 * if there is none. Throws `usage` for flags that leave nothing to compare with.
 */
export function resolveEarlierOutput(
  { since }: { since: string | undefined },
  { minRowsShare, maxGone, maxChanged }: Guards,
  output: VerdictFile & { path: string | null; inPlace?: true },
): string | null {
  const { path, inPlace } = output;
  const guards = { '--min-rows': minRowsShare, '--max-gone': maxGone, '--max-changed': maxChanged };
  const [guard] = Object.entries(guards).find(([, share]) => share !== null) ?? [];
  const flag = since === undefined ? guard : '--since';
  if (flag === undefined) return null;
  if (since === undefined && (path === null || inPlace)) {
    throw new Failure('usage', `${flag} needs an earlier output to compare with.`, {
      hint: 'Add --since FILE, or write to a file with -o.',
    });
  }
  const isReplaced = path !== null && (since === undefined || comparesWithItself(since, path));
  // The next run could not compare with this output. `--since` with `--only` is refused where the files are known.
  if (isReplaced && (!keepsVerdicts(output) || (since === undefined && output.only !== null))) {
    throw new Failure(
      'usage',
      `${flag} needs the verdicts of the last output, which ${quotedName(path)} would not keep.`,
      {
        hint: 'Write CSV, Excel (xlsx), JSON or NDJSON with all its rows and columns, or add --since with such a file.',
      },
    );
  }
  return since ?? (path !== null && existsSync(path) ? path : null);
}

/** Whether `--since` names the output itself: a second run would show its changes as the same. */
export function comparesWithItself(since: string | undefined, path: string | null): boolean {
  return since !== undefined && path !== null && realPath(since) === realPath(path);
}

/** The absolute path without symbolic links. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

interface VerdictFile {
  format: Format | null;
  fields: readonly string[] | null;
  only: ReadonlySet<string> | null;
}

/** Whether the verdicts of an output can be read back. */
function keepsVerdicts({ format, fields }: VerdictFile): boolean {
  const kind = formatKind(format);
  if (kind === 'screen' || kind === 'text') return false;
  return fields === null || (kind !== 'cells' && fields.includes('email') && fields.includes('status'));
}

/**
 * The reasons to reject the output of a run, one sentence for each guard. A list without an address is often an export that
 * failed, so without --min-rows it does not replace an earlier output.
 */
export function trippedGuards(
  { failOn, maxUnknown, minRows, minRowsShare, maxGone, maxChanged }: Guards,
  summary: Pick<RunSummary, 'total' | 'empty_count' | 'suppressed_count' | 'changes' | 'earlier_count' | keyof Counts>,
  { replacesOutput = false } = {},
): string[] {
  const { total, duplicate_count, unknown_count } = summary;
  const addressCount = total + summary.suppressed_count;
  const rows = addressCount + summary.empty_count;
  const unique = total - duplicate_count;
  const sentences: string[] = [];
  if (replacesOutput && addressCount === 0 && minRows === null && minRowsShare === null) {
    sentences.push('The list has no addresses; --min-rows 0 accepts that.');
  }
  for (const word of [...countWords, 'empty', 'suppressed'] as const) {
    const count = failOn.has(word) ? (summary[`${word}_count`] ?? 0) : 0;
    if (count > 0) sentences.push(`${amountOf(word, count)} (--fail-on ${word}).`);
  }
  if (maxUnknown !== null && unknown_count > maxUnknown * unique) {
    const percentage = (unknown_count / unique) * 100;
    const rounded = Math.round(percentage * 10) / 10;
    // Never "20% (--max-unknown 20%)".
    const shown = rounded > maxUnknown * 100 ? rounded : Math.ceil(percentage * 10) / 10;
    sentences.push(
      `${formatNumber(unknown_count)} of ${formatAmount(unique, 'address', 'addresses')} ${unknown_count === 1 ? 'is' : 'are'} unknown, ${shown}% (--max-unknown ${percentOf(maxUnknown)}).`,
    );
  }
  if (minRows !== null && rows < minRows) {
    sentences.push(
      `${formatAmount(rows, 'row was', 'rows were')} read, fewer than --min-rows ${formatNumber(minRows)}.`,
    );
  }
  const { changes, earlier_count: earlier = 0 } = summary;
  if (minRowsShare !== null && addressCount < minRowsShare * earlier) {
    sentences.push(
      `${formatAmount(addressCount, 'address was', 'addresses were')} read, but the last output had ${formatNumber(earlier)} (--min-rows ${percentOf(minRowsShare)}).`,
    );
  }
  if (changes === undefined) return sentences;
  const known = changes.same + changes.changed + changes.gone;
  for (const [flag, share, found, word] of [
    ['--max-gone', maxGone, changes.gone, 'gone'],
    ['--max-changed', maxChanged, changes.changed, 'changed'],
  ] as const) {
    if (share === null || found <= share * known) continue;
    const addresses = formatAmount(known, 'address', 'addresses');
    const without = known < earlier ? ', without duplicates,' : '';
    sentences.push(
      `${formatNumber(found)} of ${addresses} of the last output${without} ${found === 1 ? 'is' : 'are'} ${word} (${flag} ${percentOf(share)}).`,
    );
  }
  return sentences;
}

function amountOf(word: string, count: number): string {
  if (word === 'empty') return formatAmount(count, 'row has no address', 'rows have no address');
  return formatAmount(count, `address is ${word}`, `addresses are ${word}`);
}

function percentOf(share: number): string {
  return `${Math.round(share * 1e6) / 1e4}%`;
}
