import { parseAddress } from '../engine/grammar/parse-address.js';
import { createNetworkRule, type NetworkRuleOptions } from '../engine/network-rule.js';
import { createHashSet } from '../lists/hash-set.js';
import type { RunMemory } from '../lists/keeper.js';
import { keyOfParsed } from '../lists/mailbox-key.js';
import { isFirstPart, type Row } from '../rows/rows.js';

/** What is in a list, and what a run would ask. */
export interface ListPlan {
  rows: number;
  addresses: number;
  /** Mailboxes. */
  unique: number;
  /** Those that will be asked. */
  domains: number;
  suppressed: number;
  /** Mailboxes that were answered earlier, or are no address: neither sent to a service nor charged. */
  known: number;
}

interface PlanOptions {
  network: NetworkRuleOptions;
  memory?: Pick<RunMemory, 'run' | 'maxAgeMs'> | null;
}

/** Reads a list once, without network traffic. */
export async function planList(
  items: AsyncIterable<readonly Row[]>,
  { network, memory = null }: PlanOptions,
): Promise<ListPlan> {
  const needsNetwork = await createNetworkRule(network);
  const [mailboxes, domains] = [createHashSet(), createHashSet()];
  const plan: ListPlan = { rows: 0, addresses: 0, unique: 0, domains: 0, suppressed: 0, known: 0 };
  for await (const rows of items) {
    const keys: string[] = [];
    for (const row of rows) {
      const { email, isSuppressed } = row;
      if (isFirstPart(row)) plan.rows++;
      if (email === '') continue;
      if (isSuppressed) {
        plan.suppressed++;
        continue;
      }
      plan.addresses++;
      const parsed = parseAddress(email);
      const key = keyOfParsed(email, parsed);
      if (!mailboxes.add(key)) continue;
      plan.unique++;
      if (parsed.ok) keys.push(key);
      else plan.known++;
      if (parsed.ok && needsNetwork(parsed.address) && domains.add(parsed.address.domain)) plan.domains++;
    }
    plan.known += (await memory?.run?.find(keys, memory.maxAgeMs))?.size ?? 0;
  }
  return plan;
}
