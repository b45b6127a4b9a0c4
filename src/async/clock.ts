import { onAbort } from './on-abort.js';

/** Time, passed in so that tests need not wait. */
export interface Clock {
  /** Milliseconds since 1970, to be told. It jumps when the machine's clock is set. */
  now(): number;
  /** Milliseconds since some moment, to measure by. It never jumps. */
  elapsed(): number;
  /** Runs later, unless the returned function is called first. */
  after(ms: number, run: () => void): () => void;
}

/** The real one. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, Math.min(ms, 2 ** 31 - 1));
    return () => clearTimeout(timer);
  },
};

/** Over after so long; rejects with the signal's reason when aborted first. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(ms, () => {
      takeBack?.();
      resolve();
    });
    const takeBack = signal && onAbort(signal, stop);
  });
}
