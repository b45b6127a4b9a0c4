/** Knows where it stands in the one list that it is in, so that leaving it takes no search; -1 where it is in none. */
export interface Placed {
  place: number;
}

/** Puts the item last. */
export function joinList<Item extends Placed>(list: Item[], item: Item): void {
  item.place = list.push(item) - 1;
}

/** Takes the item out, at the price of the order; false where it was not in. */
export function leaveList<Item extends Placed>(list: Item[], item: Item): boolean {
  if (item.place === -1) return false;
  const last = list.pop();
  if (last !== undefined && last !== item) {
    list[item.place] = last;
    last.place = item.place;
  }
  item.place = -1;
  return true;
}
