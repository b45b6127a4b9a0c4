import { expect, test } from 'vitest';
import { createSemaphore } from '../../src/async/semaphore.js';

test('who waits comes in by the order of asking, one for each place that is given back', async () => {
  const entered: number[] = [];
  let freed = 0;
  const places = createSemaphore(
    () => 2,
    () => freed++,
  );
  const waits = [0, 1, 2, 3].map((name) => places.acquire().then(() => entered.push(name)));
  await Promise.all(waits.slice(0, 2));
  expect(entered).toEqual([0, 1]);
  expect(places.isFull()).toBe(true);
  places.release();
  await waits[2];
  places.release();
  await waits[3];
  expect(freed).toBe(0);
  places.release();
  expect([entered, places.inUse(), freed]).toEqual([[0, 1, 2, 3], 1, 1]);
});

test('a hundred thousand that are due at once pass in linear time', async () => {
  const count = 100_000;
  const places = createSemaphore(
    () => 500,
    () => {},
  );
  const from = process.cpuUsage();
  const waits = Array.from({ length: count }, () => places.acquire().then(() => places.release()));
  await Promise.all(waits);
  const { user, system } = process.cpuUsage(from);
  expect(places.inUse()).toBe(0);
  // A fifth of a second; passing over all that were taken out before takes several.
  expect((user + system) / 1000).toBeLessThan(1_500);
});
