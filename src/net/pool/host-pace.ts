import type { Clock } from '../../async/clock.js';

/** How many sessions a host accepts at a time, and how soon the next one may start. */
export interface HostPace {
  /** Sessions at a time. */
  readonly limit: number;
  /** Ask for one mailbox at a time. */
  readonly isCautious: boolean;
  /** The host has shown no limit of its own. */
  readonly isUnlimited: boolean;
  /** Milliseconds until the next session may be opened; 0 or less: now. */
  waitMs(): number;
  /** A session is being opened. */
  recordOpening(): void;
  /** The host asked us to slow down. */
  slowDown(): void;
  /** The host hung up on several pipelined questions: ask one at a time, to see on which. */
  askOneByOne(): void;
  /** The host answered. */
  recordSuccess(): void;
  /** Counts sessions lost in a row; an answer resets the count. */
  countLoss(): number;
  /** The host accepts no more than the sessions that are open. */
  limitTo(sessions: number): void;
  /** Backs off from a host that has answered before; false where that was tried often enough. */
  backOff(): boolean;
}

const maxBackoffMs = 30_000;
const maxBackoffs = 3;
const recoverAfter = 50;

/** The pace of a host: at most `maxSessions`, one each `minIntervalMs`, and `backoffMs` as the first backoff. */
export function createHostPace(
  clock: Clock,
  { maxSessions, minIntervalMs, backoffMs }: { maxSessions: number; minIntervalMs: number; backoffMs: number },
): HostPace {
  let limit = maxSessions;
  let intervalMs = minIntervalMs;
  let notBefore = 0;
  let backoffs = 0;
  let answered = 0;
  let lossStreak = 0;
  let isCautious = false;
  return {
    get limit() {
      return limit;
    },
    get isCautious() {
      return isCautious;
    },
    get isUnlimited() {
      return limit === maxSessions;
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
      isCautious = true;
    },
    recordSuccess() {
      lossStreak = 0;
      backoffs = 0;
      if (++answered % recoverAfter !== 0) return;
      isCautious = false;
      limit = Math.min(maxSessions, limit + 1);
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
