import { formatAmount, formatNumber, formatPercent } from '../../model/amount.js';
import { type BounceKind, bounceKinds } from '../../model/bounce.js';
import {
  calibrationScope,
  formatMailedRate,
  formatRate,
  formatShare,
  type OutcomeRow,
  type OutcomeStats,
  outcomesIn,
} from '../../report/outcome-stats.js';
import { renderFittingGrid } from './style/grid.js';
import type { Style } from './style/paint.js';
import { flow, hang } from './style/text-layout.js';

/** How many of each kind a run read. */
export type BounceCounts = Record<`${BounceKind}_count` | 'delay_count' | 'automatic_count' | 'other_count', number> & {
  /** All that was read; the counts of events, rows and lines are those that are no mail. */
  messages: number;
  event_count: number;
  row_count: number;
  /** Lines of a mail log that tell the fate of a recipient. */
  line_count: number;
  /** The recipients, delivered or not. */
  total: number;
};

export function emptyCounts(): BounceCounts {
  const names = ['event', 'row', 'line', ...bounceKinds, 'delay', 'automatic', 'other'];
  const counts = Object.fromEntries(names.map((name) => [`${name}_count`, 0]));
  return { messages: 0, total: 0, ...counts } as BounceCounts;
}

/** `3 messages and 4 rows` */
export function amountRead(counts: BounceCounts): string {
  const { messages, event_count: events, row_count: rows, line_count: lines } = counts;
  const mail = messages - events - rows - lines;
  const amounts = [mail > 0 || messages === 0 ? formatAmount(mail, 'message') : ''];
  if (events > 0) amounts.push(formatAmount(events, 'event'));
  if (rows > 0) amounts.push(formatAmount(rows, 'row'));
  if (lines > 0) amounts.push(formatAmount(lines, 'log entry', 'log entries'));
  return new Intl.ListFormat('en').format(amounts.filter((amount) => amount !== ''));
}

/** The counts of a run in a sentence. */
export function renderBounceCounts(counts: BounceCounts, { columns }: Pick<Style, 'columns'>): string {
  const ifAny = (count: number, text: string): string[] => (count === 0 ? [] : [text]);
  const { delay_count: delays, automatic_count: replies, other_count: others, delivered_count: delivered } = counts;
  const pieces = [
    `${amountRead(counts)} read: ${formatNumber(counts.hard_count)} hard`,
    `${formatNumber(counts.soft_count)} soft`,
    `${formatNumber(counts.policy_count)} policy`,
    formatAmount(counts.complaint_count, 'complaint'),
    `${formatNumber(counts.unreadable_count)} unreadable`,
    ...ifAny(delivered, `${formatNumber(delivered)} delivered`),
    ...ifAny(delays, formatAmount(delays, 'notice of delay', 'notices of delay')),
    ...ifAny(replies, formatAmount(replies, 'automatic reply', 'automatic replies')),
    ...ifAny(others, `${formatNumber(others)} other`),
  ];
  const parts = pieces.map((text) => ({ text }));
  return flow('', 0, parts, { between: ' · ', columns });
}

/** Verdicts against what happened: by verdict, by reason, and by confidence. */
export function renderOutcomes(stats: OutcomeStats, style: Style): string {
  const { by_status, by_sub_status, calibration, calibration_error: error, knows_sent } = stats;
  const shown = outcomesIn(by_status);
  const table = (title: string, rows: readonly OutcomeRow[]): string =>
    renderFittingGrid(
      [
        title,
        ...shown.map((outcome) => outcome.replaceAll('_', ' ').toUpperCase()),
        ...(knows_sent ? ['HARD BOUNCES (95%)'] : []),
      ],
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
    const late = `Took mail and bounced later: ${formatRate(stats.late_bounces)}`;
    const rates = [falseValid, saved, ...(stats.late_bounces.of === 0 ? [] : [late])];
    parts.push(rates.map((text) => hang('', 0, text, style.columns)).join(''));
  }
  if (error !== null) {
    const rows = calibration.map(({ mean_confidence, right }) => [formatPercent(mean_confidence), formatRate(right)]);
    const grid = renderFittingGrid(['CONFIDENCE', 'WAS RIGHT (95%)'], rows, style, { titled: true });
    parts.push(`${grid}Mean difference: ${formatPercent(error)}\n${hang('', 0, calibrationScope, style.columns)}`);
  }
  return [...parts, ...(others.length === 0 ? [] : [`${others.join(' · ')}\n`])].join('\n');
}
