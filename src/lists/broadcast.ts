/** Wakes everything that waits for a change. */
interface Broadcast {
  /** Resolves at the next notification. */
  wait(): Promise<void>;
  notify(): void;
}

export function createBroadcast(): Broadcast {
  let wake: (() => void) | null = null;
  let next: Promise<void> | null = null;
  return {
    wait: () => {
      next ??= new Promise((resolve) => {
        wake = resolve;
      });
      return next;
    },
    notify: () => {
      next = null;
      wake?.();
      wake = null;
    },
  };
}
