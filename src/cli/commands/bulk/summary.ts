import type { BulkAnswer, BulkSummary } from '../../../model/result.js';

/** The counts of a run, without its rows. */
export interface RunSummary extends Omit<BulkSummary, 'results'> {
  /** The run stopped before the end of its input. */
  incomplete?: true;
  /** Rows that were read and got no answer; they are not in the total. */
  unanswered_count?: number;
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

/** Counts one answer in exactly one of the five; a status that we do not know counts as unknown. A row without an answer is counted apart. */
export function countAnswer(summary: RunSummary, { result, duplicate, unanswered, charged }: BulkAnswer): void {
  if (unanswered) {
    summary.unanswered_count = (summary.unanswered_count ?? 0) + 1;
    return;
  }
  summary.total++;
  if (duplicate) {
    summary.duplicate_count++;
    return;
  }
  if (charged !== false) summary.credits_used++;
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
