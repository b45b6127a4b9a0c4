import { expect, test } from 'vitest';
import { lazy } from '../../src/async/lazy.js';

test('is opened once, at its first use, and again after a failure', async () => {
  let calls = 0;
  const value = lazy(async () => {
    if (++calls === 1) throw new Error('no');
    return calls;
  });
  expect(await value.opened()).toBe(null);
  expect(calls).toBe(0);
  const failing = value.get();
  expect(await value.opened()).toBe(null);
  await expect(failing).rejects.toThrow('no');
  expect(await Promise.all([value.get(), value.get(), value.opened()])).toEqual([2, 2, 2]);
});
