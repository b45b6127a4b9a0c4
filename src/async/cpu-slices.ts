import { type FairLine, fairLine, type Share } from './fair-line.js';

/** A long computation that lets others have the thread now and then. */
export interface Slices {
  /** Call it often. Null: go on. A promise: the slice is used up, and it resolves when the next one begins. */
  pause(): Promise<void> | null;
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
export function cpuSlicer(options: SliceOptions = {}): (share: Share) => Slices {
  const { sliceMs = 2, now = () => performance.now(), later = setImmediate } = options;
  const line: FairLine<() => void> = fairLine();
  let scheduled = false;
  /** Whose slice it is until the next look. */
  let holder: Slices | null = null;
  let sliceEnd = 0;
  /** Most are done within a moment and never stand in line; all that come between two looks share it. */
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
  return (share) => {
    const slices: Slices = {
      pause: () => {
        const at = now();
        if (holder === slices ? at < sliceEnd : isFree(at)) return null;
        return new Promise((resolve) => {
          line.add(() => {
            holder = slices;
            sliceEnd = now() + sliceMs;
            resolve();
          }, share);
          schedule();
        });
      },
    };
    return slices;
  };
}

/** The slices of this process's thread. */
export const openSlices: (share: Share) => Slices = cpuSlicer();
