import { setTimeout as after } from 'node:timers/promises';

/** Time and chance, so that tests can hold both. */
export interface Clock {
  /** Milliseconds since 1970, to compare with dates of others. It jumps when the machine's clock is set. */
  now(): number;
  /** Milliseconds since some moment, to measure by. It never jumps. */
  elapsed(): number;
  /** Rejects with the signal's AbortError when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** In [0, 1). */
  random(): number;
}

/** The real clock. */
export const systemClock: Clock = {
  now: Date.now,
  elapsed: performance.now.bind(performance),
  sleep: (ms, signal) => after(ms, undefined, signal === undefined ? {} : { signal }),
  random: Math.random,
};
