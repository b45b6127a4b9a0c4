import { formatAmount, formatNumber, formatPercent } from '../../model/amount.js';
import type { Bounce, BounceKind } from '../../model/bounce.js';
import { formatRate, formatShare, type OutcomeRow, type OutcomeStats, outcomesIn } from '../../report/outcome-stats.js';
import { renderFittingGrid } from './style/grid.js';
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

/** Verdicts against what happened: by verdict, by reason, and by confidence. */
export function renderOutcomes(stats: OutcomeStats, style: Style): string {
  const { by_status, by_sub_status, calibration, calibration_error: error, knows_sent } = stats;
  const shown = outcomesIn(by_status, knows_sent);
  const table = (title: string, rows: readonly OutcomeRow[]): string =>
    renderFittingGrid(
      [title, ...shown.map((outcome) => outcome.toUpperCase()), ...(knows_sent ? ['HARD BOUNCES (95%)'] : [])],
      rows.map((row) => [
        row.name,
        ...shown.map((outcome) => formatNumber(row[outcome])),
        ...(knows_sent ? [formatShare(row.hard_rate)] : []),
      ]),
      style,
      { titled: true },
    );
  const others = [
    ...(stats.not_vetted > 0 ? [`${formatAmount(stats.not_vetted, 'address', 'addresses')} without a verdict`] : []),
    ...(stats.not_sent > 0 ? [`${formatAmount(stats.not_sent, 'bounce')} of other addresses`] : []),
  ];
  const parts = [table('VERDICT', by_status), table('REASON', by_sub_status)];
  if (knows_sent) {
    parts.push(`False valid: ${formatRate(stats.false_valid)}\nSaved bounces: ${formatRate(stats.saved_bounces)}\n`);
  }
  if (error !== null) {
    const rows = calibration.map(({ mean_confidence, right }) => [formatPercent(mean_confidence), formatRate(right)]);
    const grid = renderFittingGrid(['CONFIDENCE', 'WAS RIGHT (95%)'], rows, style, { titled: true });
    parts.push(`${grid}Mean difference: ${formatPercent(error)}\n`);
  }
  return [...parts, ...(others.length === 0 ? [] : [`${others.join(' · ')}\n`])].join('\n');
}
