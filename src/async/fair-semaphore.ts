import { type Caller, createFairQueue } from './fair-queue.js';

/** Lets so many in at a time, urgent ones and then owners in turn; whoever is in gives his place back by what he was given. */
export function createFairSemaphore(most: number): (caller: Caller) => Promise<() => void> {
  const line = createFairQueue<(leave: () => void) => void>();
  let inside = 0;
  const admit = (): void => {
    if (inside >= most) return;
    const enter = line.next();
    if (enter === undefined) return;
    inside++;
    enter(() => {
      inside--;
      admit();
    });
  };
  return (caller) =>
    new Promise((resolve) => {
      line.add(resolve, caller);
      admit();
    });
}
