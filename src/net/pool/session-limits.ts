/** One who wants to open a session. */
export interface SlotSeeker {
  /** What shares a limit: the provider's name, or the host's address. */
  readonly party: string;
  readonly partyLimit: number;
  /** Called when it may be worth trying again. */
  retry(): void;
}

/** Sessions at a time, over all hosts and for each party. */
export interface SessionSlots {
  /** True: a slot is yours until `release`. False: you will be called. */
  take(seeker: SlotSeeker): boolean;
  release(seeker: SlotSeeker): void;
  /** An idle session says how to end it early, and takes that back when it has work again. */
  idle(seeker: SlotSeeker, end: () => void): () => void;
}

/** Slots for `concurrency` sessions in all. Idle sessions make room for those who have work. */
export function sessionSlots(concurrency: number): SessionSlots {
  const perParty = new Map<string, number>();
  const seekers = new Set<SlotSeeker>();
  const idlers = new Map<() => void, string>();
  let taken = 0;

  return {
    take(seeker) {
      const ofParty = perParty.get(seeker.party) ?? 0;
      if (ofParty < seeker.partyLimit && taken < concurrency) {
        taken++;
        perParty.set(seeker.party, ofParty + 1);
        seekers.delete(seeker);
        return true;
      }
      seekers.add(seeker);
      for (const [end, party] of idlers) {
        if (party !== seeker.party && taken < concurrency) continue;
        end();
        break;
      }
      return false;
    },
    release(seeker) {
      taken--;
      const ofParty = (perParty.get(seeker.party) ?? 1) - 1;
      if (ofParty > 0) perParty.set(seeker.party, ofParty);
      else perParty.delete(seeker.party);
      // First come, first served; one that cannot use the slot puts itself back at the end.
      for (let left = seekers.size; left > 0 && taken < concurrency; left--) {
        const [next] = seekers;
        if (next === undefined) return;
        seekers.delete(next);
        next.retry();
      }
    },
    idle({ party }, end) {
      const once = () => {
        idlers.delete(once);
        end();
      };
      idlers.set(once, party);
      const inTheWay = [...seekers].some((seeker) => taken >= concurrency || seeker.party === party);
      if (inTheWay) queueMicrotask(once);
      return () => idlers.delete(once);
    },
  };
}
