/** An observable value. */
export interface Signal<Value> {
  value(): Value;
  set(value: Value): void;
  /** Returns the function that removes the listener. */
  listen(listener: (value: Value) => void): () => void;
}

/** Listeners are called only on changes. */
export function createSignal<Value>(first: Value): Signal<Value> {
  let current = first;
  const listeners = new Set<(value: Value) => void>();
  return {
    value: () => current,
    set: (value) => {
      if (Object.is(value, current)) return;
      current = value;
      for (const listener of [...listeners]) listener(value);
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
