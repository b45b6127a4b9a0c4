import { type Caller, localCaller } from './caller.js';
import { FairQueue } from './fair-queue.js';

/** Bounds how many may run at a time. */
interface Semaphore {
  /** Takes a slot as soon as one is free; callers get them in turn. */
  acquire(caller?: Caller): Promise<void>;
  release(): void;
}

export function createSemaphore(limit: number): Semaphore {
  const waiting = new FairQueue<() => void>();
  let inUse = 0;
  const admit = (): void => {
    while (waiting.size > 0 && inUse < limit) {
      inUse++;
      waiting.next()?.();
    }
  };
  return {
    acquire: (caller = localCaller) =>
      new Promise((resolve) => {
        waiting.add(() => resolve(), caller);
        admit();
      }),
    release: () => {
      inUse--;
      admit();
    },
  };
}
