import { expect, test } from 'vitest';
import { yieldToIo } from '../../src/async/yield-to-io.js';

test('a few waiters resume at a time, in order, and I/O is served in between', async () => {
  const order: string[] = [];
  const rows = Array.from({ length: 20 }, async (_, index) => {
    await yieldToIo();
    order.push(`row ${index}`);
  });
  setImmediate(() => order.push('socket'));
  await Promise.all(rows);
  const asCame = Array.from({ length: 20 }, (_, index) => `row ${index}`);
  expect(order).toEqual([...asCame.slice(0, 8), 'socket', ...asCame.slice(8)]);
});
