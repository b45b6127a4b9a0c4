/** Time, so that tests need not wait for it. */
export interface Clock {
  /** Milliseconds since 1970, to be written down. It jumps when the machine's clock is set. */
  now(): number;
  /** Milliseconds since some moment, to measure by. It never jumps. */
  elapsed(): number;
  /** Calls back once after `ms`; gives the function that cancels it. */
  after(ms: number, callback: () => void): () => void;
}

/** The machine's own time. */
export const systemClock: Clock = {
  now: Date.now,
  elapsed: performance.now.bind(performance),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
