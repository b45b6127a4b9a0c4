import { type Caller, hasHigherPriority } from './fair-queue.js';

/**
 * Puts newcomers into a list where their turn is, for lists that are also taken from elsewhere than at their head. As fair as a fair
 * line: the n-th thing that an owner waits for stands behind the others' things before their n-th.
 */
interface FairTurns<Item> {
  insert(waiting: Item[], item: Item): void;
}

/** For lists of items that say whose they are. */
export function fairTurns<Item extends object>(shareOf: (item: Item) => Caller): FairTurns<Item> {
  const turns = new WeakMap<Item, number>();
  let lasts = new Map<string, number>();

  /** The first place from which on everything comes after such a turn. */
  const placeOf = (waiting: readonly Item[], caller: Caller, turn: number): number => {
    let low = 0;
    let high = waiting.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = waiting[middle] as Item;
      const otherShare = shareOf(other);
      const isBefore = hasHigherPriority(otherShare, caller) || (turns.get(other) ?? 0) <= turn;
      if (!hasHigherPriority(caller, otherShare) && isBefore) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    insert: (waiting, item) => {
      if (waiting.length === 0) lasts = new Map();
      const caller = shareOf(item);
      const name = `${caller.priority} ${caller.owner}`;
      const end = waiting.at(-1);
      // Thousands in a row are of one list.
      const isBehindOwn = end !== undefined && shareOf(end) === caller;
      // Who had nothing here for a while begins where the list stands now, and not with all the turns that he left out.
      const head = isBehindOwn ? undefined : waiting[placeOf(waiting, caller, -1)];
      const now = head === undefined ? 0 : (turns.get(head) ?? 0) - 1;
      const turn = Math.max(lasts.get(name) ?? 0, now) + 1;
      lasts.set(name, turn);
      turns.set(item, turn);
      if (isBehindOwn) waiting.push(item);
      else waiting.splice(placeOf(waiting, caller, turn), 0, item);
    },
  };
}
