import { formatAmount, formatNumber } from '../../model/amount.js';
import type { Bounce, BounceKind } from '../../model/bounce.js';
import type { Style } from './style/paint.js';
import { flow } from './style/text-layout.js';

/** How many of each kind a run read. `total` counts rows; the others are messages or events. */
export type BounceCounts = Record<`${BounceKind}_count` | 'delay_count' | 'automatic_count' | 'other_count', number> & {
  messages: number;
  total: number;
};

export function emptyCounts(): BounceCounts {
  return {
    messages: 0,
    total: 0,
    hard_count: 0,
    soft_count: 0,
    policy_count: 0,
    complaint_count: 0,
    unreadable_count: 0,
    delay_count: 0,
    automatic_count: 0,
    other_count: 0,
  };
}

export function countBounce(counts: BounceCounts, { kind }: Bounce): void {
  counts.total++;
  counts[`${kind}_count`]++;
}

/** The counts of a run in a sentence. */
export function renderBounceCounts(counts: BounceCounts, { columns }: Pick<Style, 'columns'>): string {
  const pieces = [
    `${formatAmount(counts.messages, 'message')} read: ${formatNumber(counts.hard_count)} hard`,
    `${formatNumber(counts.soft_count)} soft`,
    `${formatNumber(counts.policy_count)} policy`,
    formatAmount(counts.complaint_count, 'complaint'),
    `${formatNumber(counts.unreadable_count)} unreadable`,
    ...(counts.delay_count === 0 ? [] : [formatAmount(counts.delay_count, 'notice of delay', 'notices of delay')]),
    ...(counts.automatic_count === 0
      ? []
      : [formatAmount(counts.automatic_count, 'automatic reply', 'automatic replies')]),
    ...(counts.other_count === 0 ? [] : [formatAmount(counts.other_count, 'other message')]),
  ];
  return flow(
    '',
    0,
    pieces.map((text) => ({ text })),
    { between: ' · ', columns },
  );
}
