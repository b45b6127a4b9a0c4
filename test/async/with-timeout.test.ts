import { expect, test } from 'vitest';
import { withTimeout } from '../../src/async/with-timeout.js';

const late = new Error('late');

test('work that settles in time keeps its outcome', async () => {
  await expect(withTimeout(Promise.resolve(7), 1_000, late)).resolves.toBe(7);
  await expect(withTimeout(Promise.reject(new Error('own')), 1_000, late)).rejects.toThrow('own');
});

test('work that takes longer is rejected with the given error', async () => {
  await expect(withTimeout(new Promise(() => {}), 5, late)).rejects.toBe(late);
});
