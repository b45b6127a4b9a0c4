import { onAbort } from '../../../async/on-abort.js';
import type { Outage } from './database-failure.js';

/** How long a stopping process waits for a lost database. Other processes take over its work, as after a crash. */
const retryMs = 2_000;
/** A database that answers no statement for this long is lost, although its connections are open. */
const silentMs = 2_500;
const checkMs = 500;

/** Keeps a lost database from delaying the stop of a process. */
export class ShutdownGuard {
  private stoppedAt = Number.POSITIVE_INFINITY;
  private answeredAt = Number.NEGATIVE_INFINITY;
  private inProgress = 0;
  private timer: NodeJS.Timeout | undefined;
  private readonly unsubscribe: () => void;

  /** `terminate` fails the statements in progress, and all later ones. */
  constructor(
    signal: AbortSignal | undefined,
    private readonly outage: Outage,
    private readonly terminate: () => void,
  ) {
    this.unsubscribe = signal === undefined ? () => {} : onAbort(signal, () => this.start());
  }

  /** When to give up on a statement that fails. */
  deadline(): number {
    return Math.max(this.stoppedAt, this.outage.since ?? performance.now()) + retryMs;
  }

  /** Records when the database answers. */
  async watch<T>(answer: Promise<T>): Promise<T> {
    this.inProgress++;
    try {
      const value = await answer;
      this.answeredAt = performance.now();
      return value;
    } finally {
      this.inProgress--;
    }
  }

  close(): void {
    clearInterval(this.timer);
    this.unsubscribe();
  }

  private start(): void {
    this.stoppedAt = performance.now();
    this.timer = setInterval(() => {
      const silentSince = Math.max(this.stoppedAt, this.answeredAt);
      if (this.inProgress > 0 && performance.now() - silentSince > silentMs) this.terminate();
    }, checkMs).unref();
  }
}
