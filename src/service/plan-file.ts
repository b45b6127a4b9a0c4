import { openEngine } from '../engine/engine.js';
import { parseAddress } from '../engine/grammar/parse-address.js';
import { createNetworkRule, type NetworkRuleOptions } from '../engine/network-rule.js';
import { createHashSet } from '../lists/hash-set.js';
import { keyOfParsed } from '../lists/mailbox-key.js';
import type { CallOptions, FileReading } from '../model/service.js';
import { openUpload } from '../rows/open-rows.js';

export interface FilePlan {
  rows: number;
  unique: number;
  /** Those that will be asked. */
  domains: number;
}

interface PlanFileOptions extends CallOptions {
  /** Counted from 0. */
  columns: readonly number[];
  /** The name of the first of them. */
  column: string;
  reading: FileReading;
  network: NetworkRuleOptions;
}

/** Reads the whole file once, without network traffic. */
export async function planFile(path: string, options: PlanFileOptions): Promise<FilePlan> {
  const { columns, column, reading, network, signal } = options;
  const source = await openUpload(path, { ...reading, column, columns, filename: path, ...(signal && { signal }) });
  const mailboxes = await createMailboxCounter(network);
  let rows = 0;
  for await (const chunk of source.chunks) {
    for (const { email, part } of chunk) {
      if (part === undefined || part.index === 0) rows++;
      if (email !== '') mailboxes.add(email);
    }
  }
  return { rows, ...mailboxes.counts };
}

/** Counts distinct mailboxes, and the domains that will be asked. */
export async function createMailboxCounter(network: NetworkRuleOptions) {
  const needsNetwork = await createNetworkRule(network);
  const mailboxes = createHashSet();
  const domains = createHashSet();
  const counts = { unique: 0, domains: 0 };
  return {
    counts,
    add(email: string): void {
      const parsed = parseAddress(email);
      if (!mailboxes.add(keyOfParsed(email, parsed))) return;
      counts.unique++;
      if (parsed.ok && needsNetwork(parsed.address) && domains.add(parsed.address.domain)) counts.domains++;
    },
  };
}

/** What a service would be asked about at most, before anything is asked. */
export interface SendPlan {
  /** Mailboxes that the engine may not settle. */
  atMost: number;
  /** Mailboxes that it settles without the network, by reason. */
  settled: Record<string, number>;
}

/** Counts the addresses of a list for a plan. */
export async function createSendPlan(): Promise<SendPlan & { add(email: string): Promise<void> }> {
  const { vetSyntax } = await openEngine({ level: 'syntax' });
  const seen = createHashSet();
  const plan = { atMost: 0, settled: {} as Record<string, number> };
  return Object.assign(plan, {
    add: async (email: string): Promise<void> => {
      const parsed = parseAddress(email);
      if (!seen.add(keyOfParsed(email, parsed))) return;
      const { status, subStatus } = await vetSyntax(email, parsed);
      const isSettled = !parsed.ok || status === 'invalid' || subStatus === 'disposable';
      if (isSettled) plan.settled[subStatus] = (plan.settled[subStatus] ?? 0) + 1;
      else plan.atMost++;
    },
  });
}
