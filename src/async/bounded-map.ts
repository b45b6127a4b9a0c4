/** A map that forgets what was put in long ago, so that it never holds more than its limit. */
interface Recent<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
}

/** Remembers at most `limit` entries, and the last half of so many for certain. */
export function recent<Value>(limit: number): Recent<Value> {
  // Two halves: dropping the oldest one by one would make V8 pass over all that was dropped before, each time.
  const half = Math.max(1, Math.floor(limit / 2));
  let young = new Map<string, Value>();
  let old = new Map<string, Value>();
  return {
    get(key) {
      const value = young.get(key);
      return value === undefined ? old.get(key) : value;
    },
    set(key, value) {
      young.set(key, value);
      if (young.size < half) return;
      old = young;
      young = new Map();
    },
    delete(key) {
      young.delete(key);
      old.delete(key);
    },
  };
}
