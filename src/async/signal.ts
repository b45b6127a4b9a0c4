import type { Clock } from './clock.js';

/** A sleep that can be cut short; a ring that nobody slept through is not lost. */
export interface Signal {
  wait(ms: number): Promise<void>;
  notify(): void;
}

/** An alarm on the given clock. */
export function createSignal(clock: Clock): Signal {
  let rung = false;
  let wakeUp: (() => void) | null = null;
  return {
    wait: async (ms) => {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const cancel = clock.after(ms, resolve);
          wakeUp = () => {
            cancel();
            resolve();
          };
        });
      }
      wakeUp = null;
      rung = false;
    },
    notify: () => {
      rung = true;
      wakeUp?.();
    },
  };
}
