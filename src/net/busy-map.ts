/** A map by name, for entries that come and go all the time. */
export interface BusyMap<Value> {
  get(name: string): Value | undefined;
  set(name: string, value: Value): void;
  delete(name: string): void;
  values(): Iterable<Value>;
}

/**
 * An empty one. V8 links the table that a Map has outgrown, by deletions too, to the next: once one of them has grown old, all that
 * was ever in the later ones stays until the next full collection of garbage, and is copied around until then. A fresh Map has no
 * such link, so this one starts afresh in time.
 */
export function busyMap<Value>(): BusyMap<Value> {
  let entries = new Map<string, Value>();
  let added = 0;
  return {
    get: (name) => entries.get(name),
    set: (name, value) => {
      if (++added > 2 * entries.size + 32) {
        entries = new Map(entries);
        added = 0;
      }
      entries.set(name, value);
    },
    delete: (name) => {
      entries.delete(name);
    },
    values: () => entries.values(),
  };
}
