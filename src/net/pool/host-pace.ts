import type { Clock } from '../../async/clock.js';

/** How many sessions a host takes at a time, and how soon the next, as it has shown so far. */
export interface HostPace {
  /** Sessions at a time. */
  readonly limit: number;
  /** Ask one mailbox at a time. */
  readonly isCautious: boolean;
  /** The host has shown no limit of its own. */
  readonly isUnlimited: boolean;
  /** Milliseconds until the next session may be opened; none are left at 0 and below. */
  waitMs(): number;
  /** A session is being opened. */
  recordOpening(): void;
  /** The host asked us to slow down. */
  slowDown(): void;
  /** The host hung up on several questions at once: from now on ask one at a time, to see on which. */
  askOneByOne(): void;
  /** The host answered. */
  recordSuccess(): void;
  /** Counts sessions lost in a row; an answer ends the row. */
  countLoss(): number;
  /** The host takes those that are open, and no more for now. */
  limitTo(sessions: number): void;
  /** Comes back later to a host that has answered before; false where that was tried often enough. */
  backOff(): boolean;
}

const maxBackoffMs = 30_000;
const maxBackoffs = 3;
const recoverAfter = 50;

/** The pace of a host that may have `most` sessions, one each `minIntervalMs`, and is given `backoffMs` when it balks. */
export function createHostPace(
  clock: Clock,
  { most, minIntervalMs, backoffMs }: { most: number; minIntervalMs: number; backoffMs: number },
): HostPace {
  let limit = most;
  let intervalMs = minIntervalMs;
  let notBefore = 0;
  let backoffs = 0;
  let answered = 0;
  let lossStreak = 0;
  let careful = false;
  return {
    get limit() {
      return limit;
    },
    get isCautious() {
      return careful;
    },
    get isUnlimited() {
      return limit === most;
    },
    waitMs: () => notBefore - clock.elapsed(),
    recordOpening() {
      notBefore = Math.max(notBefore, clock.elapsed() + intervalMs);
    },
    slowDown() {
      limit = Math.max(1, Math.floor(limit / 2));
      intervalMs = Math.min(maxBackoffMs, Math.max(backoffMs, intervalMs * 2));
      notBefore = clock.elapsed() + intervalMs;
    },
    askOneByOne() {
      careful = true;
    },
    recordSuccess() {
      lossStreak = 0;
      backoffs = 0;
      if (++answered % recoverAfter !== 0) return;
      careful = false;
      limit = Math.min(most, limit + 1);
      intervalMs = Math.max(minIntervalMs, Math.floor(intervalMs / 2));
    },
    countLoss: () => ++lossStreak,
    limitTo(sessions) {
      limit = Math.max(1, Math.min(limit, sessions));
      notBefore = clock.elapsed() + backoffMs;
    },
    backOff() {
      if (answered === 0 || backoffs >= maxBackoffs) return false;
      notBefore = clock.elapsed() + backoffMs * 2 ** backoffs++;
      limit = 1;
      return true;
    },
  };
}
