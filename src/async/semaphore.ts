import { type Caller, localCaller } from './caller.js';
import { FairQueue } from './fair-queue.js';

/** Bounds how many may run at a time. */
interface Semaphore {
  /** No slot is free, or others wait for one. */
  isFull(): boolean;
  inUse(): number;
  /** Takes a slot even over the limit: for callers that checked `isFull`, or that must not wait. */
  acquireNow(): void;
  /** Takes a slot as soon as one is free; callers get them in turn. */
  acquire(caller?: Caller): Promise<void>;
  release(): void;
}

/** A semaphore whose limit may change; `onFree` is called when a slot is free and nothing waits for it. */
export function createSemaphore(limit: () => number, onFree: () => void = () => {}): Semaphore {
  const waiting = new FairQueue<() => void>();
  let inUse = 0;
  const isAtLimit = (): boolean => inUse >= limit();
  const admit = (): void => {
    while (waiting.size > 0 && !isAtLimit()) {
      inUse++;
      waiting.next()?.();
    }
  };
  return {
    isFull: () => isAtLimit() || waiting.size > 0,
    inUse: () => inUse,
    acquireNow: () => {
      inUse++;
    },
    acquire: (caller = localCaller) =>
      new Promise((resolve) => {
        waiting.add(() => resolve(), caller);
        admit();
      }),
    release: () => {
      inUse--;
      admit();
      if (waiting.size === 0 && !isAtLimit()) onFree();
    },
  };
}
