import { LruMap } from '../../async/lru-map.js';
import { expiry } from '../../net/host-knowledge.js';

/** The mailboxes that each key was charged for, as long as their answers are cached. */
export interface ChargedMailboxes {
  /** Records a charge and returns true, unless the answer is cached and the key was charged for it already. */
  chargeOnce(keyId: string, mailbox: string, isCached: boolean): boolean;
}

const maxMailboxes = 50_000;

export function createChargedMailboxes(now: () => number = () => performance.now()): ChargedMailboxes {
  const charged = new LruMap<true>({ maxEntries: maxMailboxes, ttlMs: expiry.mailbox_answer.ttlMs, now });
  return {
    chargeOnce: (keyId, mailbox, isCached) => {
      const entry = `${keyId} ${mailbox}`;
      if (isCached && charged.has(entry)) return false;
      charged.set(entry, true);
      return true;
    },
  };
}
