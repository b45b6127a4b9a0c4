/** Remembers the answers to at least the last `capacity` different keys and at most twice as many. */
export function boundedMemo<Answer>(capacity: number, answer: (key: string) => Answer): (key: string) => Answer {
  // Two generations instead of a least-recently-used order: a hit costs one Map look-up and moves nothing.
  let young = new Map<string, Answer>();
  let old = new Map<string, Answer>();
  return (key) => {
    const known = young.get(key);
    if (known !== undefined) return known;
    const fresh = old.get(key) ?? answer(key);
    if (young.size >= capacity) {
      old = young;
      young = new Map();
    }
    young.set(key, fresh);
    return fresh;
  };
}
