import { expect, test } from 'vitest';
import { createFairSemaphore } from '../../src/async/fair-semaphore.js';

test('so many are in at a time, and places that are given back go to owners in turn', async () => {
  const enter = createFairSemaphore(2);
  const entered: string[] = [];
  const leaves: (() => void)[] = [];
  for (const owner of ['a', 'a', 'a', 'a', 'b']) {
    void enter({ priority: 'job', owner, work: '' }).then((leave) => {
      entered.push(owner);
      leaves.push(leave);
    });
  }
  const settled = () => new Promise(setImmediate);
  await settled();
  expect(entered).toEqual(['a', 'a']);
  for (let count = 0; count < 3; count++) {
    leaves[count]?.();
    await settled();
  }
  expect(entered).toEqual(['a', 'a', 'a', 'b', 'a']);
});
