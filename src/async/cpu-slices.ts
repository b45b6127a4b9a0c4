import { type FairLine, fairLine, type Share } from './fair-line.js';

/** A long computation that lets others have the thread now and then. */
export interface Slices {
  /** Call it often. Null: go on. A promise: the slice is used up, and it resolves when the next one begins. */
  pause(): Promise<void> | null;
}

export interface SliceOptions {
  /** How long a computation may keep everybody else waiting. */
  sliceMs?: number;
  now?: () => number;
  /** Runs later, after what has arrived meanwhile was looked at. */
  later?: (run: () => void) => void;
}

/**
 * Shares one thread out among long computations: one slice at a time, between any two of which sockets are read and requests
 * answered. However many computations there are, whoever comes in between waits for one slice and no more.
 */
export function cpuSlicer(options: SliceOptions = {}): (share: Share) => Slices {
  const { sliceMs = 5, now = () => performance.now(), later = setImmediate } = options;
  const line: FairLine<() => void> = fairLine();
  let scheduled = false;

  const schedule = (): void => {
    if (scheduled || line.size() === 0) return;
    scheduled = true;
    later(() => {
      scheduled = false;
      line.next()?.();
      schedule();
    });
  };
  let freeEnd: number | null = null;
  /** Most are done before it ends and never stand in line; all that begin between two looks at what has arrived share it. */
  const freeUntil = (): number => {
    if (freeEnd === null) {
      freeEnd = now() + sliceMs / 5;
      later(() => {
        freeEnd = null;
      });
    }
    return freeEnd;
  };
  return (share) => {
    let end = freeUntil();
    return {
      pause: () => {
        if (now() < end) return null;
        return new Promise((resolve) => {
          line.add(() => {
            end = now() + sliceMs;
            resolve();
          }, share);
          schedule();
        });
      },
    };
  };
}

/** The slices of this process's thread. */
export const openSlices: (share: Share) => Slices = cpuSlicer();
