/** A piece of work that can be called off: whoever does the current step of it sets `cancel`. */
export interface DnsTask {
  cancelled: boolean;
  cancel: (() => void) | null;
}

interface Waiter<T> {
  resolve(value: T): void;
  reject(reason: unknown): void;
}

interface Shared<T> {
  task: DnsTask;
  waiters: Waiter<T>[];
}

/** Equal questions in flight are asked once; one caller's abort is its own, and the last one's calls the question off. */
export interface SharedQuestions<T> {
  ask(name: string, signal?: AbortSignal): Promise<T>;
  cancelAll(): void;
}

/** Shares what `ask` finds out; `recall` is looked at first. Neither may throw. */
export function sharedQuestions<T>({
  recall,
  ask,
}: {
  recall: (name: string) => T | undefined;
  ask: (name: string, task: DnsTask) => Promise<T>;
}): SharedQuestions<T> {
  const inFlight = new Map<string, Shared<T>>();

  const start = (name: string): Shared<T> => {
    const shared: Shared<T> = { task: { cancelled: false, cancel: null }, waiters: [] };
    inFlight.set(name, shared);
    const finish = (settle: (waiter: Waiter<T>) => void) => {
      if (inFlight.get(name) === shared) inFlight.delete(name);
      for (const waiter of shared.waiters) settle(waiter);
      shared.waiters = [];
    };
    ask(name, shared.task).then(
      (value) => finish((waiter) => waiter.resolve(value)),
      (bug) => finish((waiter) => waiter.reject(bug)),
    );
    return shared;
  };

  const leave = (name: string, shared: Shared<T>, waiter: Waiter<T>) => {
    shared.waiters = shared.waiters.filter((other) => other !== waiter);
    if (shared.waiters.length > 0) return;
    if (inFlight.get(name) === shared) inFlight.delete(name);
    callOff(shared.task);
  };

  return {
    ask: (name, signal) => {
      if (signal?.aborted) return Promise.reject(signal.reason);
      const known = recall(name);
      if (known !== undefined) return Promise.resolve(known);
      const shared = inFlight.get(name) ?? start(name);
      return new Promise<T>((resolve, reject) => {
        if (signal === undefined) {
          shared.waiters.push({ resolve, reject });
          return;
        }
        const waiter: Waiter<T> = {
          resolve: (value) => {
            forget();
            resolve(value);
          },
          reject: (reason) => {
            forget();
            reject(reason);
          },
        };
        const forget = whenAborted(signal, () => {
          leave(name, shared, waiter);
          reject(signal.reason);
        });
        shared.waiters.push(waiter);
      });
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
