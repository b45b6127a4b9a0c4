import type { Clock } from '../../async/clock.js';

interface PaceOptions {
  /** Sessions at a time. */
  maxSessions: number;
  /** Minimum time between the starts of two sessions. */
  minIntervalMs: number;
  /** The first backoff. */
  backoffMs: number;
}

const maxBackoffMs = 30_000;
const maxBackoffs = 3;
const recoverAfter = 50;

/** How many sessions a host accepts at a time, and how soon the next one may start. */
export class HostPace {
  /** Sessions at a time. */
  limit: number;
  /** Whether to ask for one mailbox at a time, which shows which one makes the host hang up. */
  isCautious = false;
  private intervalMs: number;
  private notBefore = 0;
  private backoffs = 0;
  private answered = 0;
  private lossStreak = 0;

  constructor(
    private readonly clock: Clock,
    private readonly options: PaceOptions,
  ) {
    this.limit = options.maxSessions;
    this.intervalMs = options.minIntervalMs;
  }

  /** Milliseconds until the next session may be opened; 0 or less: now. */
  waitMs(): number {
    return this.notBefore - this.clock.elapsed();
  }

  /** Records that a session is being opened. */
  recordOpening(): void {
    this.notBefore = Math.max(this.notBefore, this.clock.elapsed() + this.intervalMs);
  }

  /** Records that the host asked us to slow down. */
  slowDown(): void {
    this.limit = Math.max(1, Math.floor(this.limit / 2));
    this.intervalMs = Math.min(maxBackoffMs, Math.max(this.options.backoffMs, this.intervalMs * 2));
    this.notBefore = this.clock.elapsed() + this.intervalMs;
  }

  /** Records that the host ended a session because of a limit. */
  pause(): void {
    this.notBefore = Math.max(this.notBefore, this.clock.elapsed() + this.options.backoffMs);
  }

  /** Records that the host answered. */
  recordSuccess(): void {
    const { maxSessions, minIntervalMs } = this.options;
    this.lossStreak = 0;
    this.backoffs = 0;
    if (++this.answered % recoverAfter !== 0) return;
    this.isCautious = false;
    this.limit = Math.min(maxSessions, this.limit + 1);
    this.intervalMs = Math.max(minIntervalMs, Math.floor(this.intervalMs / 2));
  }

  /** Counts sessions lost in a row; an answer resets the count. */
  recordDisconnect(): number {
    return ++this.lossStreak;
  }

  /** Records that the host accepts no more than the sessions that are open. */
  limitTo(sessions: number): void {
    this.limit = Math.max(1, Math.min(this.limit, sessions));
    this.notBefore = this.clock.elapsed() + this.options.backoffMs;
  }

  /** Backs off from a host that has answered before; false if that was tried often enough. */
  backOff(): boolean {
    if (this.answered === 0 || this.backoffs >= maxBackoffs) return false;
    this.notBefore = this.clock.elapsed() + this.options.backoffMs * 2 ** this.backoffs++;
    this.limit = 1;
    return true;
  }
}
