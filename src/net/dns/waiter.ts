import type { Share } from '../../async/fair-line.js';
import { shareOf } from '../../async/work-share.js';
import { joinList, leaveList, type Placed } from './swap-list.js';

interface Abortable extends Placed {
  abort(): void;
}

/** What somebody waits for. */
export interface Awaited<T> {
  /** The waiter wants it no more. */
  leave(waiter: Waiter<T>): void;
}

/** Whoever waits for an answer: `resolve` or `reject` is called, once, perhaps at once. */
export class Waiter<T> implements Abortable {
  place = -1;
  private awaited: Awaited<T> | null = null;

  constructor(
    private readonly resolve: (value: T) => void,
    private readonly reject: (reason: unknown) => void,
    private readonly signal?: AbortSignal,
  ) {}

  /** Whose question it is. */
  share(): Share {
    return shareOf(this.signal);
  }

  /** Whether its signal is aborted already; then it has been rejected. */
  isGone(): boolean {
    if (this.signal?.aborted !== true) return false;
    this.reject(this.signal.reason);
    return true;
  }

  /** From now on an abort ends the wait. */
  waitFor(awaited: Awaited<T>): void {
    if (this.signal === undefined) return;
    this.awaited = awaited;
    joinList(waitersWith(this.signal), this);
  }

  take(value: T): void {
    if (this.signal !== undefined) leaveList(waitersWith(this.signal), this);
    this.resolve(value);
  }

  abort(): void {
    this.place = -1;
    this.awaited?.leave(this);
    this.reject(this.signal?.reason);
  }
}

const waiting = new WeakMap<AbortSignal, Abortable[]>();

/** One listener a signal, since a run's single signal outlives thousands of questions and adding a listener searches those there are. */
function waitersWith(signal: AbortSignal): Abortable[] {
  const known = waiting.get(signal);
  if (known !== undefined) return known;
  const waiters: Abortable[] = [];
  waiting.set(signal, waiters);
  signal.addEventListener(
    'abort',
    () => {
      for (const each of waiters.splice(0)) each.abort();
    },
    { once: true },
  );
  return waiters;
}
