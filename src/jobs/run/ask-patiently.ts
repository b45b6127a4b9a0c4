import type { Clock } from '../../async/clock.js';
import { onAbort } from '../../async/on-abort.js';
import type { Semaphore } from '../../async/semaphore.js';
import type { ParsedAddress } from '../../model/address.js';
import type { RowVerdict } from '../../model/job.js';
import { nextRetryMs } from '../../net/probe/greylist-schedule.js';

/** An address whose mail server said "try later". */
export interface Wait {
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
export type Ask<Said extends Answer = Answer> = (email: string, parsed?: ParsedAddress) => Said | Promise<Said>;

interface Patience {
  /** How long after its first refusal an address may be asked for again; 0 reports it at once. */
  waitMs: number;
  clock: Clock;
  signal?: AbortSignal;
}

/** How one address is waited for. */
export interface Visit {
  /** What the address waits in front of while it is not asked for. */
  places: Semaphore;
  onWait?(wait: Wait, answer: Answer): void;
}

/** No address is waited for longer at a time, whatever the clock was when that was written down. */
const longestWaitMs = 30 * 60_000;

/**
 * Waits for an answer that is under way, and comes back to a mail server that says "try later", by the one schedule. The place of an
 * address that waits is free for others meanwhile.
 */
export async function waitFor<Said extends Answer>(
  answer: Promise<Said>,
  ask: Ask<Said>,
  email: string,
  patience: Patience,
  visit: Visit,
): Promise<Said> {
  const result = await answer;
  return patience.waitMs > 0 && wantsTime(result) ? comeBack(ask, email, patience, visit, result) : result;
}

/** Asks for an address that was refused in an earlier run, when it is due. */
export async function askLater<Said extends Answer>(
  ask: Ask<Said>,
  email: string,
  patience: Patience,
  visit: Visit,
  wait: Wait,
): Promise<Said> {
  const { clock } = patience;
  await waitOutside(patience, visit.places, Math.max(0, Math.min(wait.retryAt - clock.now(), longestWaitMs)));
  const result = await ask(email);
  return wantsTime(result) ? comeBack(ask, email, patience, visit, result, wait.refusedAt) : result;
}

async function comeBack<Said extends Answer>(
  ask: Ask<Said>,
  email: string,
  patience: Patience,
  { places, onWait }: Visit,
  first: Said,
  refusedAt = patience.clock.now(),
): Promise<Said> {
  const { clock, waitMs } = patience;
  // The machine's clock may be set meanwhile: what passes here is measured by one that never jumps.
  const startedAt = clock.elapsed() - Math.max(0, clock.now() - refusedAt);
  for (let result = first; ; result = await ask(email)) {
    if (!wantsTime(result)) return result;
    const hostWantsMs = (result.retry_at ?? 0) * 1000 - clock.now();
    const delayMs = nextRetryMs({
      sinceFirstMs: clock.elapsed() - startedAt,
      hostDelayMs: hostWantsMs,
      maxWaitMs: waitMs,
    });
    if (delayMs === null) return result;
    onWait?.({ refusedAt, retryAt: clock.now() + delayMs }, result);
    await waitOutside(patience, places, delayMs);
  }
}

function wantsTime({ status, retry_at }: Answer): boolean {
  return status === 'unknown' && retry_at !== undefined;
}

/** Gives the place back until the time has come; whoever stops the wait has it again. */
async function waitOutside({ clock, signal }: Patience, places: Semaphore, ms: number): Promise<void> {
  places.release();
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      cancel();
      places.acquireNow();
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
  await places.acquire();
  // Who stood in line when the run was stopped has not begun.
  signal?.throwIfAborted();
}
