import { expect, test } from 'vitest';
import { amount } from '../../src/model/amount.js';

test.each([
  { words: [0, 'row'] as const, want: '0 rows' },
  { words: [1, 'credit'] as const, want: '1 credit' },
  { words: [12_000, 'row'] as const, want: '12,000 rows' },
  { words: [1, 'address', 'addresses'] as const, want: '1 address' },
  { words: [2, 'address', 'addresses'] as const, want: '2 addresses' },
])('$want', ({ words: [value, one, many], want }) => {
  expect(amount(value, one, many)).toBe(want);
});
