import { callerOfSignal } from '../../async/caller.js';
import type { Caller } from '../../async/fair-queue.js';

interface Abortable {
  abort(): void;
}

/** What somebody waits for. */
export interface AwaitedAnswer<T> {
  /** The caller wants it no more. */
  leave(caller: Waiter<T>): void;
}

/** Whoever waits for an answer: `resolve` or `reject` is called, once, perhaps at once. */
export class Waiter<T> implements Abortable {
  private awaited: AwaitedAnswer<T> | null = null;

  constructor(
    private readonly resolve: (value: T) => void,
    private readonly reject: (reason: unknown) => void,
    private readonly signal?: AbortSignal,
  ) {}

  /** Whose question it is. */
  caller(): Caller {
    return callerOfSignal(this.signal);
  }

  /** Whether its signal is aborted already; then it has been rejected. */
  isGone(): boolean {
    if (this.signal?.aborted !== true) return false;
    this.reject(this.signal.reason);
    return true;
  }

  /** From now on an abort ends the wait. */
  waitFor(awaited: AwaitedAnswer<T>): void {
    if (this.signal === undefined) return;
    this.awaited = awaited;
    waitersOn(this.signal).add(this);
  }

  take(value: T): void {
    if (this.signal !== undefined) waitersOn(this.signal).delete(this);
    this.resolve(value);
  }

  abort(): void {
    this.awaited?.leave(this);
    this.reject(this.signal?.reason);
  }
}

const waiting = new WeakMap<AbortSignal, Set<Abortable>>();

/** One listener a signal, since a run's single signal outlives thousands of questions and adding a listener searches those there are. */
function waitersOn(signal: AbortSignal): Set<Abortable> {
  const known = waiting.get(signal);
  if (known !== undefined) return known;
  const callers = new Set<Abortable>();
  waiting.set(signal, callers);
  signal.addEventListener(
    'abort',
    () => {
      for (const each of callers) each.abort();
      callers.clear();
    },
    { once: true },
  );
  return callers;
}
