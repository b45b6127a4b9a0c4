import type { RunStats } from '../wire/app.js';

const minSliceMs = 250;
const maxSlices = 120;

/** At most 120 slices: the slices get longer with the run. */
export function createTimeline(startedAt: number): {
  recordProgress(answered: number, now: number): void;
  timeline(): RunStats['timeline'];
} {
  let sliceMs = minSliceMs;
  let slices: number[] = [];
  let lastAnswered = 0;
  return {
    recordProgress: (answered, now) => {
      const elapsed = Math.max(0, now - startedAt);
      for (; elapsed >= sliceMs * maxSlices; sliceMs *= 2) slices = mergePairs(slices);
      const slice = Math.floor(elapsed / sliceMs);
      while (slices.length <= slice) slices.push(0);
      slices[slice] = (slices[slice] ?? 0) + answered - lastAnswered;
      lastAnswered = answered;
    },
    timeline: () => ({ sliceMs, answered: [...slices] }),
  };
}

function mergePairs(slices: readonly number[]): number[] {
  const pairs: number[] = [];
  for (let index = 0; index < slices.length; index += 2) pairs.push((slices[index] ?? 0) + (slices[index + 1] ?? 0));
  return pairs;
}
