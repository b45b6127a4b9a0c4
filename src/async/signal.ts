import type { Clock } from './clock.js';

/** A wait that can be cut short. A notification with no waiter is kept for the next wait. */
interface Signal {
  wait(ms: number): Promise<void>;
  notify(): void;
}

/** A signal on the given clock. */
export function createSignal(clock: Clock): Signal {
  let isNotified = false;
  let endWait: (() => void) | null = null;
  return {
    wait: async (ms) => {
      if (!isNotified) {
        await new Promise<void>((resolve) => {
          const cancel = clock.after(ms, resolve);
          endWait = () => {
            cancel();
            resolve();
          };
        });
      }
      endWait = null;
      isNotified = false;
    },
    notify: () => {
      isNotified = true;
      endWait?.();
    },
  };
}
