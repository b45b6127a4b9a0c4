import type { Clock } from './clock.js';

/** A sleep that can be cut short; a ring that nobody slept through is not lost. */
export interface Alarm {
  sleep(ms: number): Promise<void>;
  ring(): void;
}

/** An alarm on the given clock. */
export function openAlarm(clock: Clock): Alarm {
  let rung = false;
  let wakeUp: (() => void) | null = null;
  return {
    sleep: async (ms) => {
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
    ring: () => {
      rung = true;
      wakeUp?.();
    },
  };
}
