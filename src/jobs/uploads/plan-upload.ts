import type { TimeSlices } from '../../async/time-slicer.js';
import type { RowSource } from '../../rows/rows.js';
import type { ListMailboxes } from './split-into-jobs.js';

/** What a column of a file holds. */
export interface ColumnPlan {
  rows: number;
  /** Rows with something in that column. */
  addresses: number;
  /** Mailboxes: what is asked for, and paid. */
  unique: number;
}

/** Reads the whole file once, as confirming it would. */
export async function planColumn(
  source: RowSource,
  { canonical, seen, slices }: { canonical(email: string): string; seen: ListMailboxes; slices: TimeSlices },
): Promise<ColumnPlan> {
  const plan = { rows: 0, addresses: 0, unique: 0 };
  for await (const chunk of source.chunks) {
    for (const { email } of chunk) {
      const rest = slices.maybeYield();
      if (rest !== null) await rest;
      plan.rows++;
      if (email === '') continue;
      plan.addresses++;
      if (seen.add(canonical(email), plan.rows) === 'new') plan.unique++;
    }
  }
  return plan;
}
