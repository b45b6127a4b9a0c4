import type { AnswerMemory } from './answer-memory.js';
import { duplicate, type EmailChunks, readUnits } from './bulk-units.js';

/** What a bulk run would send and cost. */
export interface BulkPlan {
  addresses: number;
  /** Mailboxes that would be sent: without duplicates, and without those answered before. */
  unique: number;
  duplicates: number;
  /** Found among earlier answers, or no addresses at all: neither sent nor charged. */
  known: number;
  requests: number;
  credits: number;
}

/** Reads the whole input and counts; sends nothing. */
export async function planBulk(
  emails: EmailChunks,
  memory: AnswerMemory,
  keyOf: (email: string) => string,
): Promise<BulkPlan> {
  const plan: BulkPlan = { addresses: 0, unique: 0, duplicates: 0, known: 0, requests: 0, credits: 0 };
  for await (const unit of readUnits(emails, memory, keyOf, (next) => next)) {
    const duplicates = unit.sources.filter((source) => source === duplicate).length;
    plan.addresses += unit.emails.length;
    plan.unique += unit.batch.length;
    plan.duplicates += duplicates;
    plan.known += unit.emails.length - unit.batch.length - duplicates;
    if (unit.batch.length > 0) plan.requests++;
  }
  plan.credits = plan.unique;
  return plan;
}
