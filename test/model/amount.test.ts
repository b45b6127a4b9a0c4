import { expect, test } from 'vitest';
import { formatAmount, formatNumber } from '../../src/model/amount.js';

test.each([
  { words: [0, 'row'] as const, want: '0 rows' },
  { words: [1, 'credit'] as const, want: '1 credit' },
  { words: [12_000, 'row'] as const, want: '12,000 rows' },
  { words: [1, 'address', 'addresses'] as const, want: '1 address' },
  { words: [2, 'address', 'addresses'] as const, want: '2 addresses' },
])('$want', ({ words: [value, one, many], want }) => expect(formatAmount(value, one, many)).toBe(want));

test.each([0, 7, 999, 1_000, 12_000, 999_999, 1_000_000, 1_234_567_890, -1_234, 0.5, 1_234.5678, 12.0004])(
  '%d is formatted as in English',
  (value) => {
    expect(formatNumber(value)).toBe(value.toLocaleString('en-US'));
  },
);
