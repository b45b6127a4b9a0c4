import { type BulkAnswer, countedAs } from '../../../model/result.js';
import type { RunSummary } from '../../render/rows/rows.js';

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

/** Counts one answer in exactly one of the five. A row without an answer is counted apart. */
export function countAnswer(summary: RunSummary, { result, duplicate, unanswered, empty, charged }: BulkAnswer): void {
  if (empty) return;
  if (unanswered) {
    summary.unanswered_count = (summary.unanswered_count ?? 0) + 1;
    return;
  }
  summary.total++;
  summary[`${countedAs(result.status, duplicate)}_count`]++;
  if (!duplicate && charged !== false) summary.credits_used++;
}
