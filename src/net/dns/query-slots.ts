import { type Caller, createFairQueue } from '../../async/fair-queue.js';
import type { DnsStep, DnsTask } from './cancellation.js';

/** Who wants a place. */
export interface SlotUser extends DnsTask {
  /** Whose question it is. */
  caller: Caller;
  /** A place is its own now: at once, later, or as soon as it was called off. */
  onSlot(): void;
}

/** A fixed number of places; who finds none free waits in line, where everybody who asks gets his turns. */
export interface QuerySlots {
  acquire(entrant: SlotUser): void;
  release(entrant: SlotUser): void;
  /** Whoever waits has become more urgent. */
  raisePriority(entrant: SlotUser, caller: Caller): void;
}

interface Waiting extends DnsStep {
  /** Null once it has left the line. */
  entrant: SlotUser | null;
}

/** `count` free places. Lists leave some of them free for whoever asks for one address: a dead name server holds a place for seconds. */
export function createQuerySlots(count: number): QuerySlots {
  const places = Math.max(1, count);
  const reserve = Math.floor(places / 8);
  const most = { bulk: places - reserve, job: places - 2 * reserve };
  const held = { single: 0, bulk: 0, job: 0 };
  const line = createFairQueue<Waiting>();
  let free = places;
  let admitting = false;

  const mayEnter = (priority: Caller['priority']): boolean => {
    if (priority === 'single') return true;
    return held[priority] < most[priority] && held.bulk + held.job < most.bulk;
  };
  const enter = (entrant: SlotUser): void => {
    free--;
    held[entrant.caller.priority]++;
    entrant.onSlot();
  };
  const admit = (waiting: Waiting): void => {
    const { entrant } = waiting;
    if (entrant === null) return;
    waiting.entrant = null;
    entrant.step = null;
    enter(entrant);
  };
  const admitAll = (): void => {
    // Who enters may be done at once and give back from within: the loop below sees that, and the stack stays flat.
    if (admitting) return;
    admitting = true;
    while (free > 0) {
      const next = line.next(mayEnter);
      if (next === undefined) break;
      admit(next);
    }
    admitting = false;
  };
  const wait = (entrant: SlotUser): void => {
    const waiting: Waiting = { entrant, cancel: () => admit(waiting) };
    entrant.step = waiting;
    line.add(waiting, entrant.caller);
    admitAll();
  };
  return {
    acquire: (entrant) => {
      if (free > 0 && line.size() === 0 && mayEnter(entrant.caller.priority)) enter(entrant);
      else wait(entrant);
    },
    release: ({ caller }) => {
      free++;
      held[caller.priority]--;
      admitAll();
    },
    raisePriority: (entrant, caller) => {
      const waiting = entrant.step as Waiting | null;
      if (waiting?.entrant !== entrant) return;
      waiting.entrant = null;
      entrant.caller = caller;
      wait(entrant);
    },
  };
}
