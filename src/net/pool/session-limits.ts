import type { Caller, Priority } from '../../async/caller.js';
import { type Clock, systemClock } from '../../async/clock.js';
import { FairQueue } from '../../async/fair-queue.js';

/** A host queue that wants to open a session. */
export interface SlotUser {
  /** Hosts that share a limit: the name of their provider, or the host's address. */
  readonly rateLimitGroup: string;
  readonly groupLimit: number;
  /** Whether it has yielded a slot because its host did not answer, and has not answered since. */
  isSilent(): boolean;
  /** The caller of the first task that the session would serve. */
  caller(): Caller;
  /** Called when it is worth calling `acquire` again. */
  retry(): void;
}

/** Bounds the sessions that are open, over all hosts and for each rate limit group. */
export interface SessionSlots {
  /**
   * Takes a slot, which counts for the group until `onClosed`; null: the user waits for `retry`. The returned function releases the
   * slot when the session has no more work, so that another group may open one.
   */
  acquire(user: SlotUser): (() => void) | null;
  /** Called when the connection is closed: the group may open another. */
  onClosed(user: SlotUser): void;
  /** Offers an idle session to be ended early; returns the function that takes the offer back. */
  offerIdle(user: SlotUser, end: () => void): () => void;
  /**
   * Records that a session waits for its host; the returned function ends the wait. A silent host must yield its slot if silent
   * hosts hold more than their share of the slots, and hosts that may answer wait for one.
   */
  awaitHost(yieldSlot: () => void): () => void;
}

interface SilenceOptions {
  clock: Clock;
  /** A host that does not answer for this long counts as silent. */
  silentMs: number;
}

/** Silent hosts may hold this share of the slots while others wait. */
const silentShare = 0.25;

/** Slots for `concurrency` sessions. Some are reserved for single requests, since a host that does not answer holds one for long. */
export function createSessionSlots(
  concurrency: number,
  { clock, silentMs }: SilenceOptions = { clock: systemClock, silentMs: 1000 },
): SessionSlots {
  const reserved = Math.floor(concurrency / 8);
  const openByGroup = new Map<string, number>();
  const inUseByOwner = new Map<string, number>();
  const waiting = new FairQueue<SlotUser>();
  const idle = new Map<() => void, string>();
  const silent = new Set<() => void>();
  let inUse = 0;

  const isBelowLimit = ({ rateLimitGroup, groupLimit }: SlotUser): boolean =>
    (openByGroup.get(rateLimitGroup) ?? 0) < groupLimit;
  const hasRoom = (priority: Priority): boolean => inUse < concurrency - (priority === 'single' ? 0 : reserved);
  /** Whether some wait for a slot, and not only for their group. */
  const isCrowded = (): boolean => waiting.waitingPriorities().some((priority) => !hasRoom(priority));
  /** Whether the owner holds no more slots than the others that wait. */
  const hasFewest = ({ priority, owner }: Caller): boolean => {
    const slotCount = inUseByOwner.get(owner) ?? 0;
    for (const other of waiting.waitingOwners(priority)) if ((inUseByOwner.get(other) ?? 0) < slotCount) return false;
    return true;
  };
  const endIdleFor = ({ rateLimitGroup }: SlotUser, isAnyGroup: boolean): void => {
    for (const [end, group] of idle) {
      if (group !== rateLimitGroup && !isAnyGroup) continue;
      end();
      return;
    }
  };
  /** The hosts that became silent last yield their slots: the others are closer to an answer, or to their deadline. */
  const yieldForWaiting = (): void => {
    const excess = silent.size - Math.max(1, Math.floor(concurrency * silentShare));
    if (excess <= 0 || !isCrowded()) return;
    let fresh = 0;
    for (const user of waiting) if (!user.isSilent() && isBelowLimit(user) && ++fresh >= excess) break;
    for (const yieldSlot of [...silent].slice(silent.size - Math.min(excess, fresh))) {
      silent.delete(yieldSlot);
      yieldSlot();
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
      if (!isBelowLimit(user) || !hasRoom(caller.priority)) {
        waiting.add(user, caller);
        endIdleFor(user, !hasRoom(caller.priority));
        yieldForWaiting();
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
      const isWanted = isCrowded() || [...waiting].some((user) => user.rateLimitGroup === rateLimitGroup);
      if (isWanted) queueMicrotask(endOnce);
      return () => idle.delete(endOnce);
    },
    awaitHost(yieldSlot) {
      const cancel = clock.after(silentMs, () => {
        silent.add(yieldSlot);
        yieldForWaiting();
      });
      return () => {
        cancel();
        silent.delete(yieldSlot);
      };
    },
  };
}

/** Counts up or down; a count of zero takes no memory. */
function addTo(counts: Map<string, number>, key: string, amount: number): void {
  const count = (counts.get(key) ?? 0) + amount;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
