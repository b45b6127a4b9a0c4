import type { Share } from '../../async/fair-line.js';
import { slotLine } from './slot-line.js';

/** One who wants to open a session. */
export interface SlotSeeker {
  /** What shares a limit: the provider's name, or the host's address. */
  readonly party: string;
  readonly partyLimit: number;
  /** Whose mailbox it would ask for first. */
  share(): Share;
  /** Called when it may be worth trying again. */
  retry(): void;
}

/** Sessions at a time, over all hosts and for each party. */
export interface SessionSlots {
  /** True: a slot is yours until `release`, and one of your party's until `gone`. False: you will be called. */
  take(seeker: SlotSeeker): boolean;
  /** We are done with the session: another party may have one in its place. */
  release(): void;
  /** The connection is closed, so that the party does not count it any more. */
  gone(seeker: SlotSeeker): void;
  /** An idle session says how to end it early, and takes that back when it has work again. */
  idle(seeker: SlotSeeker, end: () => void): () => void;
}

/**
 * Slots for `concurrency` sessions in all. Idle sessions make room for those who have work. Lists leave some slots free for whoever
 * asks for one address: a host that does not answer holds one for long.
 */
export function sessionSlots(concurrency: number): SessionSlots {
  const reserve = Math.floor(concurrency / 8);
  const granted = new Map<string, number>();
  const perParty = new Map<string, number>();
  const line = slotLine<SlotSeeker>();
  const idlers = new Map<() => void, string>();
  let taken = 0;

  const hasRoom = (urgency: Share['urgency']): boolean => taken < concurrency - (urgency === 'single' ? 0 : reserve);

  return {
    take(seeker) {
      const ofParty = perParty.get(seeker.party) ?? 0;
      const share = seeker.share();
      const before = granted.get(share.owner) ?? 0;
      granted.set(share.owner, before);
      if (ofParty < seeker.partyLimit && hasRoom(share.urgency)) {
        taken++;
        granted.set(share.owner, before + 1);
        perParty.set(seeker.party, ofParty + 1);
        line.leave(seeker);
        return true;
      }
      line.join(seeker, share);
      const crowded = !hasRoom(share.urgency);
      for (const [end, party] of idlers) {
        if (party !== seeker.party && !crowded) continue;
        end();
        break;
      }
      return false;
    },
    release() {
      taken--;
      if (taken === 0 && line.size() === 0) granted.clear();
      const tried = new Set<SlotSeeker>();
      while (taken < concurrency) {
        const next = line.next(granted, tried);
        // Where the most urgent has no room, nobody has.
        if (next === null || !hasRoom(next.share.urgency)) return;
        tried.add(next.seeker);
        line.leave(next.seeker);
        // One that cannot use the slot puts itself back.
        next.seeker.retry();
      }
    },
    gone({ party, partyLimit }) {
      const ofParty = perParty.get(party) ?? 1;
      if (ofParty > 1) perParty.set(party, ofParty - 1);
      else perParty.delete(party);
      // Whoever found room in his party waits for nothing here.
      if (ofParty < partyLimit) return;
      for (const seeker of [...line.all()].filter((each) => each.party === party)) {
        line.leave(seeker);
        seeker.retry();
      }
    },
    idle({ party }, end) {
      const once = () => {
        idlers.delete(once);
        end();
      };
      idlers.set(once, party);
      const crowded = line.urgencies().some((urgency) => !hasRoom(urgency));
      const inTheWay = crowded || [...line.all()].some((seeker) => seeker.party === party);
      if (inTheWay) queueMicrotask(once);
      return () => idlers.delete(once);
    },
  };
}
