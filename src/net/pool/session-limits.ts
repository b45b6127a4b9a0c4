import type { Caller, Priority } from '../../async/caller.js';
import { FairQueue } from '../../async/fair-queue.js';

/** A host queue that wants to open a session. */
export interface SlotUser {
  /** Hosts that share a limit: the name of their provider, or the host's address. */
  readonly rateLimitGroup: string;
  readonly groupLimit: number;
  /** The caller of the first task that the session would serve. */
  caller(): Caller;
  /** Called when it is worth calling `acquire` again. */
  retry(): void;
}

/** Bounds the sessions that are open, over all hosts and for each rate limit group. */
export interface SessionSlots {
  /**
   * Takes a slot, which counts for the group until `onClosed`; null: the user waits for `retry`. The returned function gives the slot
   * back when the session has no more work, so that another group may open one.
   */
  acquire(user: SlotUser): (() => void) | null;
  /** The connection is closed: the group may open another. */
  onClosed(user: SlotUser): void;
  /** Offers an idle session to be ended early; returns the function that takes the offer back. */
  offerIdle(user: SlotUser, end: () => void): () => void;
}

/** Slots for `concurrency` sessions. Some are reserved for single requests, since a host that does not answer holds one for long. */
export function createSessionSlots(concurrency: number): SessionSlots {
  const reserved = Math.floor(concurrency / 8);
  const openByGroup = new Map<string, number>();
  const inUseByOwner = new Map<string, number>();
  const waiting = new FairQueue<SlotUser>();
  const idle = new Map<() => void, string>();
  let inUse = 0;

  const hasRoom = (priority: Priority): boolean => inUse < concurrency - (priority === 'single' ? 0 : reserved);
  /** The owner holds no more slots than the others that wait with it. */
  const hasFewest = ({ priority, owner }: Caller): boolean => {
    const slotCount = inUseByOwner.get(owner) ?? 0;
    for (const other of waiting.waitingOwners(priority)) if ((inUseByOwner.get(other) ?? 0) < slotCount) return false;
    return true;
  };
  const endIdleFor = ({ rateLimitGroup }: SlotUser, isCrowded: boolean): void => {
    for (const [end, group] of idle) {
      if (group !== rateLimitGroup && !isCrowded) continue;
      end();
      return;
    }
  };
  const release = (owner: string): void => {
    inUse--;
    addTo(inUseByOwner, owner, -1);
    // A user that cannot use the slot, as its group is at its limit, queues again.
    const attempted = new Set<SlotUser>();
    const canRun = (user: SlotUser, { priority }: Caller): boolean => hasRoom(priority) && !attempted.has(user);
    while (inUse < concurrency) {
      const user = waiting.next((each, caller) => canRun(each, caller) && hasFewest(caller)) ?? waiting.next(canRun);
      if (user === undefined) return;
      attempted.add(user);
      user.retry();
    }
  };
  return {
    acquire(user) {
      const caller = user.caller();
      const isBelowLimit = (openByGroup.get(user.rateLimitGroup) ?? 0) < user.groupLimit;
      if (!isBelowLimit || !hasRoom(caller.priority)) {
        waiting.add(user, caller);
        endIdleFor(user, !hasRoom(caller.priority));
        return null;
      }
      waiting.remove(user);
      inUse++;
      addTo(openByGroup, user.rateLimitGroup, 1);
      addTo(inUseByOwner, caller.owner, 1);
      return () => release(caller.owner);
    },
    onClosed({ rateLimitGroup, groupLimit }) {
      const wasAtLimit = (openByGroup.get(rateLimitGroup) ?? 0) >= groupLimit;
      addTo(openByGroup, rateLimitGroup, -1);
      if (!wasAtLimit) return;
      const users = [...waiting].filter((user) => user.rateLimitGroup === rateLimitGroup);
      for (const user of users) {
        waiting.remove(user);
        user.retry();
      }
    },
    offerIdle({ rateLimitGroup }, end) {
      const endOnce = () => {
        idle.delete(endOnce);
        end();
      };
      idle.set(endOnce, rateLimitGroup);
      const isCrowded = waiting.waitingPriorities().some((priority) => !hasRoom(priority));
      const isWanted = isCrowded || [...waiting].some((user) => user.rateLimitGroup === rateLimitGroup);
      if (isWanted) queueMicrotask(endOnce);
      return () => idle.delete(endOnce);
    },
  };
}

/** Counts up or down; a count of zero takes no memory. */
function addTo(counts: Map<string, number>, key: string, amount: number): void {
  const count = (counts.get(key) ?? 0) + amount;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
