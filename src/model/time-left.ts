/** The rate of the first seconds is not representative: sessions are being opened. */
const minElapsedMs = 3_000;
/** The time after which fewer answers than one in a hundred will do. */
const longElapsedMs = 10_000;
const minAnswers = 20;

/** A run so far: addresses that it asked about, and those that are still to ask. Addresses that only wait are in neither. */
interface AskedSoFar {
  asked: number;
  open: number;
  /** Answers per second. */
  rate: number;
  elapsedMs: number;
}

/**
 * Seconds until the open addresses are answered; null at the start of a run, and for less than a second: the last answers
 * are those of slow servers, which do not come at this rate.
 */
export function secondsLeft({ asked, open, rate, elapsedMs }: AskedSoFar): number | null {
  if (open <= 0 || rate <= 0 || elapsedMs < minElapsedMs) return null;
  const all = asked + open;
  if (asked < Math.min(minAnswers, all / 10) || (asked < all / 100 && elapsedMs < longElapsedMs)) return null;
  const seconds = open / rate;
  return seconds < 1 ? null : seconds;
}
