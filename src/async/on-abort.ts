const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `run` once when the signal aborts, and gives the function that takes that back. However many wait for a signal, it has one
 * listener: an EventTarget looks through all of its own whenever one comes or goes, so that ten thousand cost seconds.
 */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  const all = waiting.get(signal) ?? listenTo(signal);
  // A function of its own, so that one who waits twice is called twice.
  const call = () => run();
  all.add(call);
  return () => all.delete(call);
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const all = new Set<() => void>();
  waiting.set(signal, all);
  const callAll = () => {
    for (const call of [...all]) call();
    all.clear();
  };
  signal.addEventListener('abort', callAll, { once: true });
  return all;
}
