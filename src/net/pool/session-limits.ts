import type { Caller } from '../../async/fair-queue.js';
import { slotLine } from './slot-line.js';

/** One who wants to open a session. */
export interface SlotUser {
  /** What shares a limit: the provider's name, or the host's address. */
  readonly rateLimitGroup: string;
  readonly groupLimit: number;
  /** Whose mailbox it would ask for first. */
  caller(): Caller;
  /** Called when it may be worth trying again. */
  retry(): void;
}

/** Sessions at a time, over all hosts and for each party. */
export interface SessionSlots {
  /** True: a slot is yours until `release`, and one of your party's until `gone`. False: you will be called. */
  acquire(seeker: SlotUser): boolean;
  /** We are done with the session: another party may have one in its place. */
  release(): void;
  /** The connection is closed, so that the party does not count it any more. */
  onClosed(seeker: SlotUser): void;
  /** An idle session says how to end it early, and takes that back when it has work again. */
  offerIdle(seeker: SlotUser, end: () => void): () => void;
}

/**
 * Slots for `concurrency` sessions in all. Idle sessions make room for those who have work. Lists leave some slots free for whoever
 * asks for one address: a host that does not answer holds one for long.
 */
export function createSessionSlots(concurrency: number): SessionSlots {
  const reserve = Math.floor(concurrency / 8);
  const granted = new Map<string, number>();
  const perParty = new Map<string, number>();
  const line = slotLine<SlotUser>();
  const idlers = new Map<() => void, string>();
  let taken = 0;

  const hasRoom = (priority: Caller['priority']): boolean =>
    taken < concurrency - (priority === 'single' ? 0 : reserve);

  return {
    acquire(seeker) {
      const ofParty = perParty.get(seeker.rateLimitGroup) ?? 0;
      const caller = seeker.caller();
      const before = granted.get(caller.owner) ?? 0;
      granted.set(caller.owner, before);
      if (ofParty < seeker.groupLimit && hasRoom(caller.priority)) {
        taken++;
        granted.set(caller.owner, before + 1);
        perParty.set(seeker.rateLimitGroup, ofParty + 1);
        line.leave(seeker);
        return true;
      }
      line.join(seeker, caller);
      const crowded = !hasRoom(caller.priority);
      for (const [end, party] of idlers) {
        if (party !== seeker.rateLimitGroup && !crowded) continue;
        end();
        break;
      }
      return false;
    },
    release() {
      taken--;
      if (taken === 0 && line.size() === 0) granted.clear();
      const tried = new Set<SlotUser>();
      while (taken < concurrency) {
        const next = line.next(granted, tried);
        // Where the most urgent has no room, nobody has.
        if (next === null || !hasRoom(next.caller.priority)) return;
        tried.add(next.seeker);
        line.leave(next.seeker);
        // One that cannot use the slot puts itself back.
        next.seeker.retry();
      }
    },
    onClosed({ rateLimitGroup: party, groupLimit: partyLimit }) {
      const ofParty = perParty.get(party) ?? 1;
      if (ofParty > 1) perParty.set(party, ofParty - 1);
      else perParty.delete(party);
      // Whoever found room in his party waits for nothing here.
      if (ofParty < partyLimit) return;
      for (const seeker of [...line.all()].filter((each) => each.rateLimitGroup === party)) {
        line.leave(seeker);
        seeker.retry();
      }
    },
    offerIdle({ rateLimitGroup: party }, end) {
      const once = () => {
        idlers.delete(once);
        end();
      };
      idlers.set(once, party);
      const crowded = line.priorities().some((priority) => !hasRoom(priority));
      const inTheWay = crowded || [...line.all()].some((seeker) => seeker.rateLimitGroup === party);
      if (inTheWay) queueMicrotask(once);
      return () => idlers.delete(once);
    },
  };
}
