import { formatAmount, formatNumber } from '../../model/amount.js';
import { type Counts, countWords, type RunSummary } from '../../model/result.js';

/** Conditions under which an output is rejected. */
export interface Guards {
  failOn: ReadonlySet<string>;
  /** The largest ratio of unknown addresses: 0..1. */
  maxUnknown: number | null;
}

/**
 * The reasons to reject the output of a run, one sentence for each guard. A list without an address is often an export that
 * failed, so it does not replace an earlier output.
 */
export function trippedGuards(
  { failOn, maxUnknown }: Guards,
  summary: Pick<RunSummary, 'total' | 'empty_count' | 'suppressed_count' | keyof Counts>,
  { replacesOutput = false } = {},
): string[] {
  const { total, duplicate_count, unknown_count } = summary;
  const addressCount = total + summary.suppressed_count;
  const unique = total - duplicate_count;
  const sentences: string[] = [];
  if (replacesOutput && addressCount === 0) sentences.push('The list has no addresses.');
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
  return sentences;
}

function amountOf(word: string, count: number): string {
  if (word === 'empty') return formatAmount(count, 'row has no address', 'rows have no address');
  return formatAmount(count, `address is ${word}`, `addresses are ${word}`);
}

/** A share as a flag has it: `12.5%`. */
export function percentOf(share: number): string {
  return `${Math.round(share * 1e6) / 1e4}%`;
}
