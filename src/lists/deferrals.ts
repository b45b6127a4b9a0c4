import type { Clock } from '../async/clock.js';
import { nextRetryMs } from '../net/probe/greylist-schedule.js';
import type { Asker, Question, Result, Wait } from './pipeline.js';

/** The last answer of a host that said "try later". */
interface Waiting {
  /** Null: an earlier start has it. */
  result: Result | null;
  /** By the monotonic clock: the system clock may be set meanwhile. */
  firstAt: number;
  retryAt: number;
  cancel: () => void;
}

/** Limits a wait of an earlier start: the clock may have been wrong. */
const maxDelayMs = 30 * 60_000;

/** Questions that wait for another try, and when the next is due. */
export class Deferrals {
  private readonly waiting = new Map<string, Waiting>();

  constructor(
    private readonly clock: Clock,
    private readonly asker: Pick<Asker, 'greylistWaitMs' | 'onNote'>,
    private readonly askAgain: (question: Question) => void,
  ) {}

  /** Waits for another try if the host wants one, and there is time. Null: the answer stands. */
  defer(question: Question, result: Result): Wait | null {
    const { key } = question;
    const { greylistWaitMs: maxWaitMs } = this.asker;
    const retryAt = 'retry_at' in result ? result.retry_at : undefined;
    const earlier = this.waiting.get(key);
    if (result.status !== 'unknown' || retryAt === undefined || maxWaitMs === 0) {
      this.waiting.delete(key);
      return null;
    }
    const now = this.clock.elapsed();
    const firstAt = earlier?.firstAt ?? now;
    const hostDelayMs = retryAt * 1000 - this.clock.now();
    const delayMs = nextRetryMs({ sinceFirstMs: now - firstAt, hostDelayMs, maxWaitMs });
    if (delayMs === null) {
      this.waiting.delete(key);
      if (earlier === undefined) this.asker.onNote?.('wait_too_short');
      return null;
    }
    if (earlier === undefined) this.asker.onNote?.('waiting_for_greylists');
    return this.askIn(delayMs, question, result, firstAt);
  }

  /** Continues a wait of an earlier start. */
  resume(question: Question, { refusedAt, retryAt }: Wait): void {
    const now = this.clock.now();
    const delayMs = Math.max(0, Math.min(retryAt - now, maxDelayMs));
    this.askIn(delayMs, question, null, this.clock.elapsed() - Math.max(0, now - refusedAt));
  }

  private askIn(delayMs: number, question: Question, result: Result | null, firstAt: number): Wait {
    const now = this.clock.now();
    const retryAt = now + delayMs;
    const cancel = delayMs === 0 ? () => {} : this.clock.after(delayMs, () => this.askAgain(question));
    this.waiting.set(question.key, { result, firstAt, retryAt, cancel });
    if (delayMs === 0) this.askAgain(question);
    return { refusedAt: now - (this.clock.elapsed() - firstAt), retryAt };
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
