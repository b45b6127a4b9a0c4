import { onAbort } from './on-abort.js';

/** Time, passed in so that tests do not wait. */
export interface Clock {
  /** Unix milliseconds, for display. Jumps when the system clock is set. */
  now(): number;
  /** Monotonic milliseconds, for durations. */
  elapsed(): number;
  /** Runs after a delay; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
}

/** The system's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, Math.min(ms, 2 ** 31 - 1));
    return () => clearTimeout(timer);
  },
};

/** Resolves after a delay; rejects with the signal's reason when aborted. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(ms, () => {
      removeListener?.();
      resolve();
    });
    const removeListener = signal && onAbort(signal, stop);
  });
}
