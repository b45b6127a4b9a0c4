import { LruMap } from '../../async/lru-map.js';
import { expiry } from '../../net/host-knowledge.js';

/** What each key was charged for, for as long as an answer is repeated. */
export interface ChargedMailboxes {
  /** Whether the key is charged for an answer. A cached one is free if the key was charged for it. */
  isDue(keyId: string, mailbox: string, isCached: boolean): boolean;
}

const maxMailboxes = 50_000;

export function createChargedMailboxes(now: () => number = () => performance.now()): ChargedMailboxes {
  const charged = new LruMap<true>({ maxEntries: maxMailboxes, ttlMs: expiry.mailbox_answer.ttlMs, now });
  return {
    isDue: (keyId, mailbox, isCached) => {
      const entry = `${keyId} ${mailbox}`;
      if (isCached && charged.has(entry)) return false;
      charged.set(entry, true);
      return true;
    },
  };
}
