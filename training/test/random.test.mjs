import { expect, test } from 'vitest';
import { seededRandom, shuffled } from '../random.mjs';

test('the same seed gives the same numbers, another seed others', () => {
  const numbers = (seed) => {
    const random = seededRandom(seed);
    return Array.from({ length: 20 }, () => random.below(1000));
  };
  expect(numbers(11)).toEqual(numbers(11));
  expect(numbers(11)).not.toEqual(numbers(12));
});

test('between includes both ends', () => {
  const random = seededRandom(1);
  const values = new Set(Array.from({ length: 200 }, () => random.between(3, 5)));
  expect([...values].sort()).toEqual([3, 4, 5]);
});

test('shuffling keeps all elements and leaves the list alone', () => {
  const list = [...'abcdefgh'];
  const result = shuffled(seededRandom(1), list);
  expect(result).not.toEqual(list);
  expect([...result].sort()).toEqual(list);
  expect(list.join('')).toBe('abcdefgh');
});
