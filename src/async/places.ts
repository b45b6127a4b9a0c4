import { makeQueue } from './queue.js';

/** How many questions may be under way at a time. One that only waits for its time gives its place back, and comes in again when it is due. */
export interface Places {
  isFull(): boolean;
  taken(): number;
  /** Takes a place, whether or not there is one: for whoever looked before. */
  take(): void;
  giveBack(): void;
  /** Takes a place as soon as there is one, in the order of asking. */
  enter(): Promise<void>;
}

/** As many places as `limit` says at the time; `onFree` is told where one is free and nobody stands in line for it. */
export function openPlaces(limit: () => number, onFree: () => void): Places {
  // A hundred thousand rows may be due at once: taking the first out of a Set would pass over all that were taken out before.
  const line = makeQueue<() => void>();
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
    taken: () => taken,
    take: () => {
      taken++;
    },
    giveBack: () => {
      taken--;
      admit();
      if (line.isEmpty() && !isFull()) onFree();
    },
    enter: () =>
      new Promise((resolve) => {
        line.push(resolve);
        admit();
      }),
  };
}
