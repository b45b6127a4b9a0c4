import { type Caller, createFairQueue, type FairQueue } from './fair-queue.js';

/** A long computation that lets others have the thread now and then. */
export interface TimeSlices {
  /** Call it often. Null: go on. A promise: the slice is used up, and it resolves when the next one begins. */
  maybeYield(): Promise<void> | null;
}

interface SliceOptions {
  /** How long a computation may keep everybody else waiting. */
  sliceMs?: number;
  now?: () => number;
  /** Runs later, after what has arrived meanwhile was looked at. */
  later?: (run: () => void) => void;
}

/**
 * Shares one thread out among long computations: one slice between any two looks at what has arrived, when sockets are read and
 * requests answered. A slice is over with the next look, so that hundreds of computations whose files were read meanwhile do not
 * all go on with what was left of theirs. However many computations there are, whoever comes in between waits for one slice.
 */
export function createTimeSlicer(options: SliceOptions = {}): (caller: Caller) => TimeSlices {
  const { sliceMs = 2, now = () => performance.now(), later = setImmediate } = options;
  const line: FairQueue<() => void> = createFairQueue();
  let scheduled = false;
  /** Whose slice it is until the next look. */
  let holder: TimeSlices | null = null;
  let sliceEnd = 0;
  /** Most are done within a moment and never stand in line; all that come between two looks caller it. */
  let freeEnd: number | null = null;

  const look = (): void => {
    scheduled = false;
    holder = null;
    freeEnd = null;
    line.next()?.();
    if (holder !== null || line.size() > 0) schedule();
  };
  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    later(look);
  };
  const isFree = (at: number): boolean => {
    if (freeEnd === null) {
      freeEnd = at + sliceMs / 5;
      schedule();
    }
    return at < freeEnd;
  };
  return (caller) => {
    const slices: TimeSlices = {
      maybeYield: () => {
        const at = now();
        if (holder === slices ? at < sliceEnd : isFree(at)) return null;
        return new Promise((resolve) => {
          line.add(() => {
            holder = slices;
            sliceEnd = now() + sliceMs;
            resolve();
          }, caller);
          schedule();
        });
      },
    };
    return slices;
  };
}

/** The slices of this process's thread. */
export const timeSlicesFor: (caller: Caller) => TimeSlices = createTimeSlicer();
