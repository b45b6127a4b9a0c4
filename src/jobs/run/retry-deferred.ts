import type { Clock } from '../../async/clock.js';
import { onAbort } from '../../async/on-abort.js';
import type { Semaphore } from '../../async/semaphore.js';
import type { ParsedAddress } from '../../model/address.js';
import type { RowVerdict } from '../../model/job.js';
import { nextRetryMs } from '../../net/probe/greylist-schedule.js';

/** An address whose mail server said "try later". */
export interface Deferral {
  /** When it first said so, in ms since 1970. */
  refusedAt: number;
  retryAt: number;
}

/** A verdict on an address, and when to ask again. */
export interface Answer extends RowVerdict {
  /** Unix seconds after which asking again makes sense. */
  retry_at?: number;
}

/** Vets one address, which the caller may have parsed already. Synchronous if no network is needed. */
export interface VetAddress<Result extends Answer = Answer> {
  (email: string, parsed?: ParsedAddress): Result | Promise<Result>;
  /** True for an address whose earlier verdict is not reused. */
  ignoresCache?(email: string): boolean;
}

interface RetryOptions {
  /** How long after its first refusal an address is retried; 0 reports it at once. */
  waitMs: number;
  clock: Clock;
  signal?: AbortSignal;
}

/** What one address needs while it waits. */
export interface RetryContext<Result extends Answer = Answer> {
  /** Holds the slot of the address, which is free for others during a wait. */
  semaphore: Semaphore;
  onWait?(wait: Deferral, answer: Result): void;
  /** Called if not even the first retry fits into the wait. */
  onNoRetry?(): void;
}

/** Limits each wait, in case the clock was wrong when the time was stored. */
const maxDelayMs = 30 * 60_000;

/** Awaits an answer, and retries by the greylist schedule while the mail server says "try later". */
export async function retryDeferred<Result extends Answer>(
  answer: Promise<Result>,
  vet: VetAddress<Result>,
  email: string,
  options: RetryOptions,
  context: RetryContext<Result>,
): Promise<Result> {
  const result = await answer;
  return options.waitMs > 0 && isDeferred(result) ? retryUntilAnswered(vet, email, options, context, result) : result;
}

/** Vets an address that an earlier run deferred, when it is due. */
export async function resumeDeferred<Result extends Answer>(
  vet: VetAddress<Result>,
  email: string,
  options: RetryOptions,
  context: RetryContext<Result>,
  wait: Deferral,
): Promise<Result> {
  const { clock } = options;
  await sleepWithoutSlot(options, context.semaphore, Math.max(0, Math.min(wait.retryAt - clock.now(), maxDelayMs)));
  const result = await vet(email);
  return isDeferred(result) ? retryUntilAnswered(vet, email, options, context, result, wait.refusedAt) : result;
}

async function retryUntilAnswered<Result extends Answer>(
  vet: VetAddress<Result>,
  email: string,
  options: RetryOptions,
  { semaphore, onWait, onNoRetry }: RetryContext<Result>,
  firstResult: Result,
  refusedAt = options.clock.now(),
): Promise<Result> {
  const { clock, waitMs } = options;
  // Time is measured by the monotonic clock: the system clock may be set meanwhile.
  const startedAt = clock.elapsed() - Math.max(0, clock.now() - refusedAt);
  for (let result = firstResult; ; result = await vet(email)) {
    if (!isDeferred(result)) return result;
    const hostDelayMs = (result.retry_at ?? 0) * 1000 - clock.now();
    const delayMs = nextRetryMs({
      sinceFirstMs: clock.elapsed() - startedAt,
      hostDelayMs,
      maxWaitMs: waitMs,
    });
    if (delayMs === null) {
      if (result === firstResult) onNoRetry?.();
      return result;
    }
    onWait?.({ refusedAt, retryAt: clock.now() + delayMs }, result);
    await sleepWithoutSlot(options, semaphore, delayMs);
  }
}

function isDeferred({ status, retry_at }: Answer): boolean {
  return status === 'unknown' && retry_at !== undefined;
}

/** Releases the slot during the wait, and takes it again even if the wait is stopped. */
async function sleepWithoutSlot({ clock, signal }: RetryOptions, semaphore: Semaphore, ms: number): Promise<void> {
  semaphore.release();
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      cancel();
      semaphore.acquireNow();
      reject(signal?.reason);
    };
    const cancel = clock.after(ms, () => {
      removeListener?.();
      resolve();
    });
    // `onAbort` takes any number of listeners: a hundred thousand rows may share the signal.
    const removeListener = signal && onAbort(signal, stop);
    if (signal?.aborted === true) stop();
  });
  await semaphore.acquire();
  // The run may have stopped while this row waited for a slot.
  signal?.throwIfAborted();
}
