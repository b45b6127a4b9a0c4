import type { Clock } from '../async/clock.js';
import { nextRetryMs } from '../net/probe/greylist-schedule.js';
import type { Asker, Question, Result } from './pipeline.js';

/** The last answer of a host that said "try later". */
interface Waiting {
  result: Result;
  /** By the monotonic clock: the system clock may be set meanwhile. */
  firstAt: number;
  retryAt: number;
  cancel: () => void;
}

/** Questions that wait for another try, and when the next is due. */
export class Deferrals {
  private readonly waiting = new Map<string, Waiting>();

  constructor(
    private readonly clock: Clock,
    private readonly asker: Pick<Asker, 'greylistWaitMs' | 'onNote'>,
    private readonly askAgain: (question: Question) => void,
  ) {}

  /** Whether the host wants a later try, and gets one. Otherwise the answer stands. */
  defer(question: Question, result: Result): boolean {
    const { key } = question;
    const { greylistWaitMs: maxWaitMs } = this.asker;
    const retryAt = 'retry_at' in result ? result.retry_at : undefined;
    const earlier = this.waiting.get(key);
    if (result.status !== 'unknown' || retryAt === undefined || maxWaitMs === 0) {
      this.waiting.delete(key);
      return false;
    }
    const now = this.clock.elapsed();
    const firstAt = earlier?.firstAt ?? now;
    const hostDelayMs = retryAt * 1000 - this.clock.now();
    const delayMs = nextRetryMs({ sinceFirstMs: now - firstAt, hostDelayMs, maxWaitMs });
    if (delayMs === null) {
      this.waiting.delete(key);
      if (earlier === undefined) this.asker.onNote?.('wait_too_short');
      return false;
    }
    const cancel = this.clock.after(delayMs, () => this.askAgain(question));
    this.waiting.set(key, { result, firstAt, retryAt: this.clock.now() + delayMs, cancel });
    if (earlier === undefined) this.asker.onNote?.('waiting_for_greylists');
    return true;
  }

  /** The last answer for a question that waits. */
  lastAnswer(key: string): Result | null {
    return this.waiting.get(key)?.result ?? null;
  }

  size(): number {
    return this.waiting.size;
  }

  /** The next retry in Unix milliseconds; null if none waits. */
  nextAt(): number | null {
    let next = Number.POSITIVE_INFINITY;
    for (const { retryAt } of this.waiting.values()) next = Math.min(next, retryAt);
    return this.waiting.size === 0 ? null : next;
  }

  /** Nothing is tried again; the last answers stay. */
  stop(): void {
    for (const { cancel } of this.waiting.values()) cancel();
  }
}
