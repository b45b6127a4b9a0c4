import { rowsForRate } from '../model/rows-for-rate.js';
import type { RunStats, StatusCounts } from '../wire/app.js';

/** How many addresses have a reason: `not_probed` passed without a mailbox check; `several_addresses` are never checked. */
export function countOf({ names }: StatusCounts, code: 'not_probed' | 'several_addresses'): number {
  return names.find(({ name }) => name === code)?.total ?? 0;
}

/** Rows per second; null if there is no rate. */
export function rateOfRun({ summary, startedAt, endedAt, rowsPerSecond }: RunStats): number | null {
  if (rowsPerSecond !== undefined) return rowsPerSecond;
  const { total, duplicate_count: duplicates, empty_count: empty, suppressed_count: suppressed } = summary;
  const counts = { rows: total + empty + suppressed, duplicates, empty, suppressed, reused: summary.reused_count };
  const rows = rowsForRate(counts);
  return rows > 0 ? (rows * 1000) / Math.max(1, endedAt - startedAt) : null;
}

/**
 * The first `max` of sorted reasons, and those that one line sums up. That line never stands for a single reason, and not
 * for `several_addresses`: such cells are unknown, but not asked again.
 */
export function splitReasons<Reason extends { code: string }>(
  reasons: readonly Reason[],
  max: number,
): { shown: Reason[]; others: Reason[] } {
  const rest = reasons.slice(max).filter(({ code }) => code !== 'several_addresses');
  const others = rest.length > 1 ? rest : [];
  return { shown: reasons.filter((reason) => !others.includes(reason)), others };
}
