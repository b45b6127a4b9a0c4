import { setTimeout as after } from 'node:timers/promises';

/** Time and chance, so that tests can hold both. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects with the signal's AbortError when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** In [0, 1). */
  random(): number;
}

/** The real clock. */
export const systemClock: Clock = {
  now: Date.now,
  sleep: (ms, signal) => after(ms, undefined, signal === undefined ? {} : { signal }),
  random: Math.random,
};
