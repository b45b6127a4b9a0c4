const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `run` once when the signal aborts; returns the function that removes it. A signal gets one real listener however many wait:
 * an EventTarget searches its whole list on each change.
 */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  const callbacks = listeners.get(signal) ?? listenTo(signal);
  // A new function each time, so that the same `run` can be added twice.
  const call = () => run();
  callbacks.add(call);
  return () => callbacks.delete(call);
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const callbacks = new Set<() => void>();
  listeners.set(signal, callbacks);
  const callAll = () => {
    for (const call of [...callbacks]) call();
    callbacks.clear();
  };
  signal.addEventListener('abort', callAll, { once: true });
  return callbacks;
}
