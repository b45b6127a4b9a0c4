import type { Clock } from '../../src/service/remote/clock.js';

/** A clock on which every wait is over at once and is written down. Waits of `holdMs` or more end only when aborted. */
export function fakeClock(holdMs = Number.POSITIVE_INFINITY): Clock & { waits: number[] } {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const waits: number[] = [];
  return {
    waits,
    now: () => now,
    elapsed: () => now,
    random: () => 1,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      if (ms < holdMs) {
        waits.push(ms);
        now += ms;
        return;
      }
      await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    },
  };
}
