import { createFifoQueue } from './fifo-queue.js';

/** How many questions may be under way at a time. One that only waits for its time gives its place back, and comes in again when it is due. */
export interface Semaphore {
  isFull(): boolean;
  inUse(): number;
  /** Takes a place, whether or not there is one: for whoever looked before. */
  acquireNow(): void;
  release(): void;
  /** Takes a place as soon as there is one, in the order of asking. */
  acquire(): Promise<void>;
}

/** As many places as `limit` says at the time; `onFree` is told where one is free and nobody stands in line for it. */
export function createSemaphore(limit: () => number, onFree: () => void): Semaphore {
  // A hundred thousand rows may be due at once: taking the first out of a Set would pass over all that were taken out before.
  const line = createFifoQueue<() => void>();
  let taken = 0;
  const isFull = (): boolean => taken >= limit();
  const admit = (): void => {
    while (!line.isEmpty() && !isFull()) {
      taken++;
      line.shift()?.();
    }
  };
  return {
    isFull: () => isFull() || !line.isEmpty(),
    inUse: () => taken,
    acquireNow: () => {
      taken++;
    },
    release: () => {
      taken--;
      admit();
      if (line.isEmpty() && !isFull()) onFree();
    },
    acquire: () =>
      new Promise((resolve) => {
        line.push(resolve);
        admit();
      }),
  };
}
