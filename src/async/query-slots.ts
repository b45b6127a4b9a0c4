import type { Caller, Priority } from './caller.js';
import { FairQueue } from './fair-queue.js';

/** A query that needs a slot. */
export interface SlotUser {
  caller: Caller;
  /** Ends the wait: it enters at once. Null if it does not wait. */
  cancel: (() => void) | null;
  /** Called once it has a slot: at once, later, or as soon as it is canceled. */
  onSlot(): void;
}

/** Bounds the queries in flight; waiting callers get slots in turn. */
export interface QuerySlots {
  acquire(user: SlotUser): void;
  release(user: SlotUser): void;
  /** Moves a waiting user to the queue of another caller. */
  raisePriority(user: SlotUser, caller: Caller): void;
}

/** `count` slots. Some are reserved for single requests, since a dead name server holds a slot for seconds. */
export function createQuerySlots(count: number): QuerySlots {
  const total = Math.max(1, count);
  const reserved = Math.floor(total / 8);
  const limits = { bulk: total - reserved, job: total - 2 * reserved };
  const inUse = { single: 0, bulk: 0, job: 0 };
  const waiting = new FairQueue<SlotUser>();
  let free = total;
  let isAdmitting = false;

  const canEnter = (priority: Priority): boolean => {
    if (priority === 'single') return true;
    return inUse[priority] < limits[priority] && inUse.bulk + inUse.job < limits.bulk;
  };
  const enter = (user: SlotUser): void => {
    free--;
    inUse[user.caller.priority]++;
    user.cancel = null;
    user.onSlot();
  };
  const admit = (): void => {
    // A user may finish and release within `enter`: the loop sees that, and the stack stays flat.
    if (isAdmitting) return;
    isAdmitting = true;
    while (free > 0) {
      const next = waiting.next((_, { priority }) => canEnter(priority));
      if (next === undefined) break;
      enter(next);
    }
    isAdmitting = false;
  };
  const wait = (user: SlotUser): void => {
    user.cancel = () => {
      if (waiting.remove(user)) enter(user);
    };
    waiting.add(user, user.caller);
    admit();
  };
  return {
    acquire: (user) => {
      if (free > 0 && waiting.size === 0 && canEnter(user.caller.priority)) enter(user);
      else wait(user);
    },
    release: ({ caller }) => {
      free++;
      inUse[caller.priority]--;
      admit();
    },
    raisePriority: (user, caller) => {
      if (!waiting.remove(user)) return;
      user.caller = caller;
      wait(user);
    },
  };
}
