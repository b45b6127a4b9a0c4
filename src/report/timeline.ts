/** Number of answers in each time slice of a run. */
export interface Timeline {
  sliceMs: number;
  answered: number[];
}

const finestMs = 250;
const maxSlices = 120;

/** At most 120 slices: the slices get longer with the run. */
export function openTimeline(startedAt: number): { mark(answered: number, now: number): void; timeline(): Timeline } {
  let sliceMs = finestMs;
  let slices: number[] = [];
  let last = 0;
  return {
    mark: (answered, now) => {
      const elapsed = Math.max(0, now - startedAt);
      for (; elapsed >= sliceMs * maxSlices; sliceMs *= 2) slices = inPairs(slices);
      const at = Math.floor(elapsed / sliceMs);
      while (slices.length <= at) slices.push(0);
      slices[at] = (slices[at] ?? 0) + answered - last;
      last = answered;
    },
    timeline: () => ({ sliceMs, answered: [...slices] }),
  };
}

function inPairs(slices: readonly number[]): number[] {
  const pairs: number[] = [];
  for (let at = 0; at < slices.length; at += 2) pairs.push((slices[at] ?? 0) + (slices[at + 1] ?? 0));
  return pairs;
}
