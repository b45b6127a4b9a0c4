import { expect, test } from 'vitest';
import { openPlaces } from '../../src/async/places.js';

test('who waits comes in by the order of asking, one for each place that is given back', async () => {
  const entered: number[] = [];
  let freed = 0;
  const places = openPlaces(
    () => 2,
    () => freed++,
  );
  const waits = [0, 1, 2, 3].map((name) => places.enter().then(() => entered.push(name)));
  await Promise.all(waits.slice(0, 2));
  expect(entered).toEqual([0, 1]);
  expect(places.isFull()).toBe(true);
  places.giveBack();
  await waits[2];
  places.giveBack();
  await waits[3];
  expect(freed).toBe(0);
  places.giveBack();
  expect([entered, places.taken(), freed]).toEqual([[0, 1, 2, 3], 1, 1]);
});

test('a hundred thousand that are due at once pass in linear time', async () => {
  const count = 100_000;
  const places = openPlaces(
    () => 500,
    () => {},
  );
  const from = process.cpuUsage();
  const waits = Array.from({ length: count }, () => places.enter().then(() => places.giveBack()));
  await Promise.all(waits);
  const { user, system } = process.cpuUsage(from);
  expect(places.taken()).toBe(0);
  // A fifth of a second; passing over all that were taken out before takes several.
  expect((user + system) / 1000).toBeLessThan(1_500);
});
