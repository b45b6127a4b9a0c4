import { parseAddress } from '../engine/grammar/parse-address.js';
import { maxEmailsPerRequest } from '../wire/api.js';
import type { Run } from './answers.js';
import { createHashSet } from './hash-set.js';
import { keyOfParsed } from './mailbox-key.js';
import type { Item } from './pipeline.js';

/** What a list would send and cost. */
export interface BulkPlan {
  /** Mailboxes that were answered earlier, or are no address: neither sent nor charged. */
  known: number;
  requests: number;
  credits: number;
}

/** What a paid service would be sent for a list: each mailbox once, and none that is known. Sends nothing. */
export async function planList(
  items: AsyncIterable<readonly Item[]>,
  memory: { run: Run | null; maxAgeMs: number | null } | null,
): Promise<BulkPlan> {
  const seen = createHashSet();
  const plan: BulkPlan = { known: 0, requests: 0, credits: 0 };
  for await (const rows of items) {
    const keys: string[] = [];
    for (const { email, isSuppressed } of rows) {
      if (email === '' || isSuppressed) continue;
      const parsed = parseAddress(email);
      const key = keyOfParsed(email, parsed);
      if (!seen.add(key)) continue;
      if (parsed.ok) keys.push(key);
      else plan.known++;
    }
    const known = (await memory?.run?.find(keys, memory.maxAgeMs))?.size ?? 0;
    plan.known += known;
    plan.credits += keys.length - known;
  }
  plan.requests = Math.ceil(plan.credits / maxEmailsPerRequest);
  return plan;
}
