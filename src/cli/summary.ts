import type { BulkAnswer, BulkSummary } from '../model/result.js';

/** The counts of a run, without its rows. */
export interface RunSummary extends Omit<BulkSummary, 'results'> {
  /** The run stopped before the end of its input. */
  incomplete?: true;
}

/** A summary of nothing yet. */
export function emptySummary(): RunSummary {
  return {
    total: 0,
    valid_count: 0,
    invalid_count: 0,
    risky_count: 0,
    unknown_count: 0,
    duplicate_count: 0,
    credits_used: 0,
  };
}

/** Counts one answer in exactly one of the five; a status that we do not know counts as unknown. */
export function countAnswer(summary: RunSummary, { result, duplicate }: BulkAnswer): void {
  summary.total++;
  if (duplicate) {
    summary.duplicate_count++;
    return;
  }
  summary.credits_used++;
  if (result.status === 'valid') summary.valid_count++;
  else if (result.status === 'invalid') summary.invalid_count++;
  else if (result.status === 'risky') summary.risky_count++;
  else summary.unknown_count++;
}

/** How many rows got a status. */
export function countOf(summary: RunSummary, status: string): number {
  const counts: Record<string, number> = {
    valid: summary.valid_count,
    invalid: summary.invalid_count,
    risky: summary.risky_count,
    unknown: summary.unknown_count,
  };
  return counts[status] ?? 0;
}
