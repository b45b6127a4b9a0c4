import type { Clock } from '../../src/async/clock.js';

interface Timer {
  at: number;
  order: number;
  run: (() => void) | null;
}

/** A clock on which months pass in seconds: it jumps from one timer to the next. */
export interface SimulatedClock extends Clock {
  /** Runs all timers that are due by then. */
  advanceTo(ms: number): Promise<void>;
  /** Runs timers until the work is done; rejects if no timer is left. */
  runUntil<Value>(work: Promise<Value>): Promise<Value>;
  readonly pending: number;
}

export function simulatedClock(startMs = 0): SimulatedClock {
  let now = startMs;
  let count = 0;
  /** A binary heap: the first timer is due next. */
  const heap: Timer[] = [];
  let live = 0;
  const isEarlier = (a: Timer, b: Timer) => a.at < b.at || (a.at === b.at && a.order < b.order);
  const swap = (i: number, j: number) => {
    [heap[i], heap[j]] = [heap[j] as Timer, heap[i] as Timer];
  };
  const push = (timer: Timer) => {
    let index = heap.push(timer) - 1;
    for (let parent = (index - 1) >> 1; index > 0; parent = (index - 1) >> 1) {
      if (!isEarlier(heap[index] as Timer, heap[parent] as Timer)) return;
      swap(index, parent);
      index = parent;
    }
  };
  const pop = (): void => {
    const last = heap.pop() as Timer;
    if (heap.length === 0) return;
    heap[0] = last;
    for (let index = 0; ; ) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      let first = index;
      if (left < heap.length && isEarlier(heap[left] as Timer, heap[first] as Timer)) first = left;
      if (right < heap.length && isEarlier(heap[right] as Timer, heap[first] as Timer)) first = right;
      if (first === index) return;
      swap(index, first);
      index = first;
    }
  };
  const drain = () => new Promise<void>((resolve) => setImmediate(resolve));
  /** Runs the timers of the next moment; false if none is due by then. */
  const step = (until: number): boolean => {
    while (heap[0]?.run === null) pop();
    const next = heap[0];
    if (next === undefined || next.at > until) return false;
    now = Math.max(now, next.at);
    for (let timer = heap[0]; timer !== undefined && timer.at <= now; timer = heap[0]) {
      pop();
      const { run } = timer;
      timer.run = null;
      if (run !== null) live--;
      run?.();
    }
    return true;
  };
  return {
    now: () => now,
    elapsed: () => now,
    after(ms, run) {
      const timer: Timer = { at: now + ms, order: count++, run };
      live++;
      push(timer);
      return () => {
        if (timer.run !== null) live--;
        timer.run = null;
      };
    },
    get pending() {
      return live;
    },
    async advanceTo(ms) {
      await drain();
      while (step(ms)) await drain();
      now = Math.max(now, ms);
    },
    async runUntil(work) {
      let isDone = false;
      const end = () => {
        isDone = true;
      };
      work.then(end, end);
      await drain();
      while (!isDone) {
        if (!step(Number.POSITIVE_INFINITY)) {
          // Work that runs without timers, such as a turn of the event loop.
          for (let turn = 0; turn < 2_000 && !isDone; turn++) await drain();
          if (!isDone && live === 0) throw new Error('nothing is left to wait for');
        }
        await drain();
      }
      return work;
    },
  };
}
