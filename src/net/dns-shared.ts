import { busyMap } from './busy-map.js';

/** A piece of work that can be called off: whoever does the current step of it sets `cancel`. */
export interface DnsTask {
  cancelled: boolean;
  cancel: (() => void) | null;
}

/** Whoever waits for an answer; one of the two is called, once, perhaps at once. */
export class Waiter<T> {
  constructor(
    readonly resolve: (value: T) => void,
    readonly reject: (reason: unknown) => void,
  ) {}
}

/** A question that somebody waits for. */
class Shared<T> implements DnsTask {
  cancelled = false;
  cancel: (() => void) | null = null;
  waiters: Waiter<T>[];

  constructor(first: Waiter<T>) {
    this.waiters = [first];
  }
}

/** Equal questions in flight are asked once; one caller's abort is its own, and the last one's calls the question off. */
export interface SharedQuestions<T> {
  ask(name: string, waiter: Waiter<T>, signal?: AbortSignal): void;
  cancelAll(): void;
}

/** Shares what `ask` finds out; `recall` is looked at first. Neither may throw. */
export function sharedQuestions<T>({
  recall,
  ask,
}: {
  recall: (name: string) => T | undefined;
  ask: (name: string, task: DnsTask, done: (value: T) => void) => void;
}): SharedQuestions<T> {
  const inFlight = busyMap<Shared<T>>();

  const join = (name: string, waiter: Waiter<T>): Shared<T> => {
    const running = inFlight.get(name);
    if (running !== undefined) {
      running.waiters.push(waiter);
      return running;
    }
    const shared = new Shared(waiter);
    inFlight.set(name, shared);
    ask(name, shared, (value) => {
      forget(name, shared);
      for (const each of shared.waiters) each.resolve(value);
      shared.waiters.length = 0;
    });
    return shared;
  };

  const forget = (name: string, shared: Shared<T>) => {
    if (inFlight.get(name) === shared) inFlight.delete(name);
  };

  const leave = (name: string, shared: Shared<T>, waiter: Waiter<T>) => {
    shared.waiters = shared.waiters.filter((other) => other !== waiter);
    if (shared.waiters.length > 0) return;
    forget(name, shared);
    callOff(shared);
  };

  const joinUntilAborted = (name: string, { resolve, reject }: Waiter<T>, signal: AbortSignal) => {
    let stopListening: (() => void) | null = null;
    const waiter = new Waiter<T>((value) => {
      stopListening?.();
      resolve(value);
    }, reject);
    const shared = join(name, waiter);
    stopListening = whenAborted(signal, () => {
      leave(name, shared, waiter);
      reject(signal.reason);
    });
  };

  return {
    ask: (name, waiter, signal) => {
      if (signal?.aborted) return waiter.reject(signal.reason);
      const known = recall(name);
      if (known !== undefined) return waiter.resolve(known);
      if (signal === undefined) join(name, waiter);
      else joinUntilAborted(name, waiter, signal);
    },
    cancelAll: () => {
      for (const shared of [...inFlight.values()]) callOff(shared);
    },
  };
}

function callOff(task: DnsTask): void {
  task.cancelled = true;
  task.cancel?.();
}

const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/** One listener a signal, since a run's single signal outlives thousands of questions and adding a listener searches those there are. */
function whenAborted(signal: AbortSignal, callback: () => void): () => void {
  let callbacks = listeners.get(signal);
  if (callbacks === undefined) {
    const fresh = new Set<() => void>();
    callbacks = fresh;
    listeners.set(signal, fresh);
    signal.addEventListener(
      'abort',
      () => {
        for (const each of [...fresh]) each();
        fresh.clear();
      },
      { once: true },
    );
  }
  const own = callbacks;
  own.add(callback);
  return () => {
    own.delete(callback);
  };
}
