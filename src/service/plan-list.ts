import { openEngine } from '../engine/engine.js';
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
  /** Of the others, those that the engine settles without the network, by reason; counted if that is asked for. */
  settled: Record<string, number>;
}

interface PlanOptions {
  network: NetworkRuleOptions;
  memory?: Pick<RunMemory, 'run' | 'maxAgeMs'> | null;
  /** Whether the engine answers first. */
  settles?: boolean;
}

/** Reads a list once, without network traffic. */
export async function planList(
  items: AsyncIterable<readonly Row[]>,
  { network, memory = null, settles = false }: PlanOptions,
): Promise<ListPlan> {
  const needsNetwork = await createNetworkRule(network);
  const engine = settles ? await openEngine({ level: 'syntax' }) : null;
  const [mailboxes, domains] = [createHashSet(), createHashSet()];
  const plan: ListPlan = { rows: 0, addresses: 0, unique: 0, domains: 0, suppressed: 0, known: 0, settled: {} };
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
      if (engine === null) continue;
      const { status, subStatus } = await engine.vetSyntax(email, parsed);
      const isSettled = !parsed.ok || status === 'invalid' || subStatus === 'disposable';
      if (isSettled) plan.settled[subStatus] = (plan.settled[subStatus] ?? 0) + 1;
    }
    plan.known += (await memory?.run?.find(keys, memory.maxAgeMs))?.size ?? 0;
  }
  return plan;
}
