/** A piece of work that can be called off: whoever does the current step of it sets `cancel`. */
export interface DnsTask {
  cancelled: boolean;
  cancel: (() => void) | null;
}

/** Whoever waits for an answer; one of the two is called, once, perhaps at once. */
export interface Waiter<T> {
  resolve(value: T): void;
  reject(reason: unknown): void;
}

interface Shared<T> {
  task: DnsTask;
  waiters: Waiter<T>[];
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
  const inFlight = new Map<string, Shared<T>>();

  const join = (name: string, waiter: Waiter<T>): Shared<T> => {
    const running = inFlight.get(name);
    if (running !== undefined) {
      running.waiters.push(waiter);
      return running;
    }
    const shared: Shared<T> = { task: { cancelled: false, cancel: null }, waiters: [waiter] };
    inFlight.set(name, shared);
    ask(name, shared.task, (value) => {
      forget(name, shared);
      for (const each of shared.waiters) each.resolve(value);
      shared.waiters = [];
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
    callOff(shared.task);
  };

  const joinUntilAborted = (name: string, { resolve, reject }: Waiter<T>, signal: AbortSignal) => {
    let stopListening: (() => void) | null = null;
    const waiter: Waiter<T> = {
      resolve: (value) => {
        stopListening?.();
        resolve(value);
      },
      reject,
    };
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
      for (const { task } of [...inFlight.values()]) callOff(task);
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
