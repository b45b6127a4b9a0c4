import { type Caller, localCaller } from '../../async/caller.js';
import { onAbort } from '../../async/on-abort.js';

/** An answer that callers wait for. */
export interface AwaitedAnswer<T> {
  leave(waiter: Waiter<T>): void;
}

/** A caller that waits for an answer. `resolve` or `reject` is called once, possibly at once. */
export class Waiter<T> {
  private removeListener: (() => void) | null = null;

  constructor(
    private readonly resolve: (value: T) => void,
    private readonly reject: (reason: unknown) => void,
    readonly caller: Caller = localCaller,
  ) {}

  /** Whether its signal is aborted already; it is then rejected. */
  rejectIfAborted(): boolean {
    const { signal } = this.caller;
    if (signal?.aborted !== true) return false;
    this.reject(signal.reason);
    return true;
  }

  /** From now on an abort ends the wait. */
  waitFor(awaited: AwaitedAnswer<T>): void {
    const { signal } = this.caller;
    if (signal === undefined) return;
    this.removeListener = onAbort(signal, () => {
      awaited.leave(this);
      this.reject(signal.reason);
    });
  }

  settle(value: T): void {
    this.removeListener?.();
    this.resolve(value);
  }
}
