import { expect, test } from 'vitest';
import { createSemaphore } from '../../src/async/semaphore.js';

test('each release gives a slot to the caller that waited longest', async () => {
  const entered: number[] = [];
  const semaphore = createSemaphore(2);
  const waits = [0, 1, 2, 3].map((name) => semaphore.acquire().then(() => entered.push(name)));
  await Promise.all(waits.slice(0, 2));
  expect(entered).toEqual([0, 1]);
  semaphore.release();
  await waits[2];
  semaphore.release();
  await waits[3];
  expect(entered).toEqual([0, 1, 2, 3]);
});

test('a hundred thousand waiting callers take linear time', async () => {
  const count = 100_000;
  const semaphore = createSemaphore(500);
  const from = process.cpuUsage();
  const waits = Array.from({ length: count }, () => semaphore.acquire().then(() => semaphore.release()));
  await Promise.all(waits);
  const { user, system } = process.cpuUsage(from);
  // Takes a fifth of a second. A scan over removed callers would take several seconds.
  expect((user + system) / 1000).toBeLessThan(1_500);
});

test('slots go to owners in turn', async () => {
  const semaphore = createSemaphore(2);
  const entered: string[] = [];
  for (const owner of ['a', 'a', 'a', 'a', 'b']) {
    void semaphore.acquire({ priority: 'job', owner, taskId: '' }).then(() => entered.push(owner));
  }
  const settled = () => new Promise(setImmediate);
  await settled();
  expect(entered).toEqual(['a', 'a']);
  for (let count = 0; count < 3; count++) {
    semaphore.release();
    await settled();
  }
  expect(entered).toEqual(['a', 'a', 'a', 'b', 'a']);
});
