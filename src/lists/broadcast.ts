/** Wakes everything that waits for a change. */
export function createBroadcast() {
  let wake: (() => void) | null = null;
  let next: Promise<void> | null = null;
  return {
    /** Resolves at the next notification. */
    wait: (): Promise<void> => {
      next ??= new Promise((resolve) => {
        wake = resolve;
      });
      return next;
    },
    notify: (): void => {
      next = null;
      wake?.();
      wake = null;
    },
  };
}
