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
  /** When to ask again. */
  retryAt: number;
}

/** What is said of an address, and perhaps more. */
export interface Answer extends RowVerdict {
  /** Unix seconds after which asking again makes sense. */
  retry_at?: number;
}

/** Asks about one address, which the caller may have parsed already; at once where no network is needed. */
export type VetAddress<Said extends Answer = Answer> = (email: string, parsed?: ParsedAddress) => Said | Promise<Said>;

interface RetryOptions {
  /** How long after its first refusal an address may be asked for again; 0 reports it at once. */
  waitMs: number;
  clock: Clock;
  signal?: AbortSignal;
}

/** How one address is waited for. */
export interface RetryContext {
  /** What the address waits in front of while it is not asked for. */
  semaphore: Semaphore;
  onWait?(wait: Deferral, answer: Answer): void;
}

/** No address is waited for longer at a time, whatever the clock was when that was written down. */
const longestWaitMs = 30 * 60_000;

/**
 * Waits for an answer that is under way, and comes back to a mail server that says "try later", by the one schedule. The place of an
 * address that waits is free for others meanwhile.
 */
export async function retryDeferred<Said extends Answer>(
  answer: Promise<Said>,
  ask: VetAddress<Said>,
  email: string,
  patience: RetryOptions,
  visit: RetryContext,
): Promise<Said> {
  const result = await answer;
  return patience.waitMs > 0 && isDeferred(result) ? retryUntilAnswered(ask, email, patience, visit, result) : result;
}

/** Asks for an address that was refused in an earlier run, when it is due. */
export async function resumeDeferred<Said extends Answer>(
  ask: VetAddress<Said>,
  email: string,
  patience: RetryOptions,
  visit: RetryContext,
  wait: Deferral,
): Promise<Said> {
  const { clock } = patience;
  await sleepWithoutSlot(patience, visit.semaphore, Math.max(0, Math.min(wait.retryAt - clock.now(), longestWaitMs)));
  const result = await ask(email);
  return isDeferred(result) ? retryUntilAnswered(ask, email, patience, visit, result, wait.refusedAt) : result;
}

async function retryUntilAnswered<Said extends Answer>(
  ask: VetAddress<Said>,
  email: string,
  patience: RetryOptions,
  { semaphore, onWait }: RetryContext,
  first: Said,
  refusedAt = patience.clock.now(),
): Promise<Said> {
  const { clock, waitMs } = patience;
  // The machine's clock may be set meanwhile: what passes here is measured by one that never jumps.
  const startedAt = clock.elapsed() - Math.max(0, clock.now() - refusedAt);
  for (let result = first; ; result = await ask(email)) {
    if (!isDeferred(result)) return result;
    const hostWantsMs = (result.retry_at ?? 0) * 1000 - clock.now();
    const delayMs = nextRetryMs({
      sinceFirstMs: clock.elapsed() - startedAt,
      hostDelayMs: hostWantsMs,
      maxWaitMs: waitMs,
    });
    if (delayMs === null) return result;
    onWait?.({ refusedAt, retryAt: clock.now() + delayMs }, result);
    await sleepWithoutSlot(patience, semaphore, delayMs);
  }
}

function isDeferred({ status, retry_at }: Answer): boolean {
  return status === 'unknown' && retry_at !== undefined;
}

/** Gives the place back until the time has come; whoever stops the wait has it again. */
async function sleepWithoutSlot({ clock, signal }: RetryOptions, semaphore: Semaphore, ms: number): Promise<void> {
  semaphore.release();
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      cancel();
      semaphore.acquireNow();
      reject(signal?.reason);
    };
    const cancel = clock.after(ms, () => {
      takeBack?.();
      resolve();
    });
    // A hundred thousand rows may wait for the same signal.
    const takeBack = signal && onAbort(signal, stop);
    if (signal?.aborted === true) stop();
  });
  await semaphore.acquire();
  // Who stood in line when the run was stopped has not begun.
  signal?.throwIfAborted();
}
