/** A seeded generator (mulberry32), so that training is reproducible. */
export function seededRandom(seed) {
  let state = seed >>> 0;
  const bits = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const next = () => bits() / 4294967296;
  const below = (limit) => Math.floor(next() * limit);
  return {
    bits,
    below,
    between: (low, high) => low + below(high - low + 1),
    pick: (list) => list[below(list.length)],
    chance: (share) => next() < share,
  };
}

/** A Fisher–Yates shuffle. */
export function shuffled(random, things) {
  const list = [...things];
  for (let at = list.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    [list[at], list[other]] = [list[other], list[at]];
  }
  return list;
}
