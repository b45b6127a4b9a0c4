import type { Clock } from '../../src/async/clock.js';

/** A clock that advances only when it is told to. */
export interface FakeClock extends Clock {
  /** Advances, runs due timers in order, and lets the work that they started continue. */
  advance(ms: number): Promise<void>;
  readonly pending: number;
}

export function fakeClock(startMs = 1_700_000_000_000): FakeClock {
  let now = startMs;
  const timers = new Set<{ at: number; run: () => void }>();
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    now: () => now,
    elapsed: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    get pending() {
      return timers.size;
    },
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).sort((first, second) => first.at - second.at);
        if (next === undefined) break;
        timers.delete(next);
        now = next.at;
        next.run();
        await settle();
      }
      now = end;
    },
  };
}

/** A clock on which waits end at once. */
export interface JumpingClock extends Clock {
  /** Every wait that was started. */
  readonly waits: number[];
  jumpedMs(): number;
}

/** Waits of `holdMs` or more never end. */
export function jumpingClock(startMs = 1_700_000_000_000, holdMs = Number.POSITIVE_INFINITY): JumpingClock {
  let now = startMs;
  const waits: number[] = [];
  return {
    waits,
    now: () => now,
    elapsed: () => now,
    jumpedMs: () => now - startMs,
    after(ms, run) {
      if (ms >= holdMs) return () => {};
      waits.push(ms);
      const timer = setImmediate(() => {
        now += ms;
        run();
      });
      return () => clearImmediate(timer);
    },
  };
}
