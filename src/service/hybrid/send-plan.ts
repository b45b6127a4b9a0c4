import { openEngine } from '../../engine/engine.js';
import { parseAddress } from '../../engine/grammar/parse-address.js';
import { createHashSet } from '../../lists/hash-set.js';
import { keyOfParsed } from '../../lists/mailbox-key.js';

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
