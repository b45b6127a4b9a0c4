/** A value that parts of the page listen to. */
export interface Signal<Value> {
  value(): Value;
  set(value: Value): void;
  /** Gives the function that stops listening. */
  listen(listener: (value: Value) => void): () => void;
}

/** A value to begin with; listeners are told only of changes. */
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
