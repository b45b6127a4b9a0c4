import { isMoreUrgent, type Share } from '../../async/fair-line.js';

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
  const seekers = new Set<SlotSeeker>();
  const idlers = new Map<() => void, string>();
  let taken = 0;

  const hasRoom = ({ urgency }: Share): boolean => taken < concurrency - (urgency === 'single' ? 0 : reserve);
  /** The most urgent; of several, one whose owner got least. */
  const nextOf = (left: Set<SlotSeeker>): SlotSeeker | undefined => {
    let [best] = left;
    // Nobody to share with.
    if (granted.size === 1) return best;
    for (const seeker of left) if (best === undefined || goesBefore(seeker.share(), best.share())) best = seeker;
    return best;
  };
  const goesBefore = (a: Share, b: Share): boolean => {
    if (a.urgency !== b.urgency) return isMoreUrgent(a, b);
    return (granted.get(a.owner) ?? 0) < (granted.get(b.owner) ?? 0);
  };

  return {
    take(seeker) {
      const ofParty = perParty.get(seeker.party) ?? 0;
      const share = seeker.share();
      const before = granted.get(share.owner) ?? 0;
      granted.set(share.owner, before);
      if (ofParty < seeker.partyLimit && hasRoom(share)) {
        taken++;
        granted.set(share.owner, before + 1);
        perParty.set(seeker.party, ofParty + 1);
        seekers.delete(seeker);
        return true;
      }
      seekers.add(seeker);
      const crowded = !hasRoom(share);
      for (const [end, party] of idlers) {
        if (party !== seeker.party && !crowded) continue;
        end();
        break;
      }
      return false;
    },
    release() {
      taken--;
      if (taken === 0 && seekers.size === 0) granted.clear();
      // One that cannot use the slot puts itself back.
      const left = new Set(seekers);
      while (taken < concurrency) {
        const next = nextOf(left);
        if (next === undefined) return;
        left.delete(next);
        if (hasRoom(next.share())) {
          seekers.delete(next);
          next.retry();
        } else if (granted.size > 1) return; // Where the most urgent has no room, nobody has.
      }
    },
    gone({ party, partyLimit }) {
      const ofParty = perParty.get(party) ?? 1;
      if (ofParty > 1) perParty.set(party, ofParty - 1);
      else perParty.delete(party);
      // Whoever found room in his party waits for nothing here.
      if (ofParty < partyLimit) return;
      for (const seeker of [...seekers].filter((each) => each.party === party)) {
        seekers.delete(seeker);
        seeker.retry();
      }
    },
    idle({ party }, end) {
      const once = () => {
        idlers.delete(once);
        end();
      };
      idlers.set(once, party);
      const inTheWay = [...seekers].some((seeker) => seeker.party === party || !hasRoom(seeker.share()));
      if (inTheWay) queueMicrotask(once);
      return () => idlers.delete(once);
    },
  };
}
