import { formatAmount, formatNumber, formatPercent } from '../../model/amount.js';
import type { Bounce, BounceKind } from '../../model/bounce.js';
import { quotedName } from '../../model/text/shell-word.js';
import {
  calibrationScope,
  formatMailedRate,
  formatRate,
  formatShare,
  type OutcomeRow,
  type OutcomeStats,
  outcomesIn,
} from '../../report/outcome-stats.js';
import type { UndatedRows } from '../../service/bounces/read-inputs.js';
import { renderFittingGrid } from './style/grid.js';
import type { Style } from './style/paint.js';
import { flow, hang } from './style/text-layout.js';

/** How many of each kind a run read. */
export type BounceCounts = Record<`${BounceKind}_count` | 'delay_count' | 'automatic_count' | 'other_count', number> & {
  /** All that was read; `event_count` and `row_count` are those that are no mail. */
  messages: number;
  event_count: number;
  row_count: number;
  /** The failed recipients. */
  total: number;
};

export function emptyCounts(): BounceCounts {
  return {
    messages: 0,
    event_count: 0,
    row_count: 0,
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

/** `3 messages and 4 rows` */
export function amountRead({ messages, event_count: events, row_count: rows }: BounceCounts): string {
  const mail = messages - events - rows;
  const amounts = [
    ...(mail > 0 || messages === 0 ? [formatAmount(mail, 'message')] : []),
    ...(events > 0 ? [formatAmount(events, 'event')] : []),
    ...(rows > 0 ? [formatAmount(rows, 'row')] : []),
  ];
  return new Intl.ListFormat('en').format(amounts);
}

/** The counts of a run in a sentence. */
export function renderBounceCounts(counts: BounceCounts, { columns }: Pick<Style, 'columns'>): string {
  const pieces = [
    `${amountRead(counts)} read: ${formatNumber(counts.hard_count)} hard`,
    `${formatNumber(counts.soft_count)} soft`,
    `${formatNumber(counts.policy_count)} policy`,
    formatAmount(counts.complaint_count, 'complaint'),
    `${formatNumber(counts.unreadable_count)} unreadable`,
    ...(counts.delay_count === 0 ? [] : [formatAmount(counts.delay_count, 'notice of delay', 'notices of delay')]),
    ...(counts.automatic_count === 0
      ? []
      : [formatAmount(counts.automatic_count, 'automatic reply', 'automatic replies')]),
    ...(counts.other_count === 0 ? [] : [`${formatNumber(counts.other_count)} other`]),
  ];
  return flow(
    '',
    0,
    pieces.map((text) => ({ text })),
    { between: ' · ', columns },
  );
}

/** Sentences that say why bounces of a CSV have no date, and what to do. */
export function renderUndated({ name, column, ambiguous, unreadable }: UndatedRows): string[] {
  if (column === null) return [`${quotedName(name)} has no column for the date. Call it "date".`];
  const where = `in the column "${column}" of ${quotedName(name)}`;
  const sentence = (count: number, reason: string): string =>
    `${formatAmount(count, 'date')} ${where} ${count === 1 ? 'is' : 'are'} left out: ${reason} Write dates like 2026-11-05.`;
  return [
    ...(ambiguous === 0 ? [] : [sentence(ambiguous, 'it is not certain which number is the month.')]),
    ...(unreadable === 0 ? [] : [sentence(unreadable, 'the format is not known.')]),
  ];
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
    const falseValid = `False valid: ${formatMailedRate(stats.false_valid, 'valid')}`;
    const saved = `Saved bounces: ${formatMailedRate(stats.saved_bounces, 'invalid')}`;
    parts.push([falseValid, saved].map((text) => hang('', 0, text, style.columns)).join(''));
  }
  if (error !== null) {
    const rows = calibration.map(({ mean_confidence, right }) => [formatPercent(mean_confidence), formatRate(right)]);
    const grid = renderFittingGrid(['CONFIDENCE', 'WAS RIGHT (95%)'], rows, style, { titled: true });
    parts.push(`${grid}Mean difference: ${formatPercent(error)}\n${hang('', 0, calibrationScope, style.columns)}`);
  }
  return [...parts, ...(others.length === 0 ? [] : [`${others.join(' · ')}\n`])].join('\n');
}
