import type { Caller } from './caller.js';
import { FairQueue } from './fair-queue.js';

/** A long computation that yields the thread now and then. */
export interface TimeSlices {
  /** Call it often. Null: continue. A promise: the slice is used up; it resolves when the next slice begins. */
  maybeYield(): Promise<void> | null;
}

interface TimeSlicerOptions {
  /** The longest time that a computation blocks the event loop. */
  sliceMs?: number;
  now?: () => number;
  /** Runs after pending I/O was served. */
  afterIo?: (run: () => void) => void;
}

/**
 * Divides one thread among long computations: one slice for each turn of the event loop, however many computations there are. The
 * unused part of a slice is lost, so that computations that return from I/O together do not run together.
 */
export function createTimeSlicer(options: TimeSlicerOptions = {}): (caller: Caller) => TimeSlices {
  const { sliceMs = 2, now = () => performance.now(), afterIo = setImmediate } = options;
  const waiting = new FairQueue<() => void>();
  let isScheduled = false;
  let running: TimeSlices | null = null;
  let sliceEnd = 0;
  /** A short computation need not queue: all that start within one turn of the event loop share this time. */
  let freeUntil: number | null = null;

  const startTurn = (): void => {
    isScheduled = false;
    running = null;
    freeUntil = null;
    waiting.next()?.();
    if (running !== null || waiting.size > 0) schedule();
  };
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    afterIo(startTurn);
  };
  /** True while the free time of this turn lasts; the first call starts it. */
  const takeFreeTime = (at: number): boolean => {
    if (freeUntil === null) {
      freeUntil = at + sliceMs / 5;
      schedule();
    }
    return at < freeUntil;
  };
  return (caller) => {
    const slices: TimeSlices = {
      maybeYield: () => {
        const time = now();
        if (running === slices ? time < sliceEnd : takeFreeTime(time)) return null;
        return new Promise((resolve) => {
          const begin = (): void => {
            running = slices;
            sliceEnd = now() + sliceMs;
            resolve();
          };
          waiting.add(begin, caller);
          schedule();
        });
      },
    };
    return slices;
  };
}

/** Slices of this process's thread. */
export const timeSlicesFor: (caller: Caller) => TimeSlices = createTimeSlicer();
