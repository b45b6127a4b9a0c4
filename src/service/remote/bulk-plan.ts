import type { BulkPlan } from '../../model/result.js';
import type { EmailChunks } from '../../model/service.js';
import type { AnswerMemory } from '../dedupe/answer-memory.js';
import { duplicate, readUnits } from './bulk-units.js';

/** Reads the whole input and counts; sends nothing. */
export async function planBulk(emails: EmailChunks, memory: AnswerMemory): Promise<BulkPlan> {
  const plan: BulkPlan = { addresses: 0, unique: 0, duplicates: 0, known: 0, requests: 0, credits: 0 };
  for await (const unit of readUnits(emails, memory, (next) => next)) {
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
