const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `run` once when the signal aborts; returns the function that removes it. A signal gets one real listener however many wait:
 * an EventTarget searches its whole list on each change.
 */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  const all = listeners.get(signal) ?? listenTo(signal);
  // A new function each time, so that the same `run` can be added twice.
  const call = () => run();
  all.add(call);
  return () => all.delete(call);
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const all = new Set<() => void>();
  listeners.set(signal, all);
  const callAll = () => {
    for (const call of [...all]) call();
    all.clear();
  };
  signal.addEventListener('abort', callAll, { once: true });
  return all;
}
