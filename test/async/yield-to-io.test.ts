import { expect, test } from 'vitest';
import { yieldToIo } from '../../src/async/yield-to-io.js';

test.each([
  { name: 'eight of a few', waiters: 12, first: 8 },
  { name: 'an eighth of many', waiters: 160, first: 20 },
])('$name waiters resume at a time, in order, and I/O is served in between', async ({ waiters, first }) => {
  const order: string[] = [];
  const rows = Array.from({ length: waiters }, async (_, index) => {
    await yieldToIo();
    order.push(`row ${index}`);
  });
  setImmediate(() => order.push('socket'));
  await Promise.all(rows);
  const asCame = Array.from({ length: waiters }, (_, index) => `row ${index}`);
  expect(order).toEqual([...asCame.slice(0, first), 'socket', ...asCame.slice(first)]);
});
