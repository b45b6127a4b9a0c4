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
  const line = new Set<() => void>();
  let taken = 0;
  const isFull = (): boolean => taken >= limit();
  const admit = (): void => {
    for (const next of line) {
      if (isFull()) return;
      line.delete(next);
      taken++;
      next();
    }
  };
  return {
    isFull: () => isFull() || line.size > 0,
    taken: () => taken,
    take: () => {
      taken++;
    },
    giveBack: () => {
      taken--;
      admit();
      if (line.size === 0 && !isFull()) onFree();
    },
    enter: () =>
      new Promise((resolve) => {
        line.add(resolve);
        admit();
      }),
  };
}
