import { rowsForRate } from '../model/rows-for-rate.js';
import type { RunStats } from '../wire/app.js';

/** Rows per second; null if there is no rate. */
export function rateOfRun({ summary, startedAt, endedAt, rowsPerSecond }: RunStats): number | null {
  if (rowsPerSecond !== undefined) return rowsPerSecond;
  const { total, duplicate_count: duplicates, empty_count: empty, suppressed_count: suppressed } = summary;
  const counts = { rows: total + empty + suppressed, duplicates, empty, suppressed, reused: summary.reused_count };
  const rows = rowsForRate(counts);
  return rows > 0 ? (rows * 1000) / Math.max(1, endedAt - startedAt) : null;
}
