import { expect, test } from 'vitest';
import { nearestName } from '../../src/model/nearest-name.js';

test.each([
  { name: 'swapped letters', wanted: 'levle', want: 'level' },
  { name: 'another case', wanted: 'LEVEL', want: 'level' },
  { name: 'a missing letter', wanted: 'concurency', want: 'concurrency' },
  { name: 'the nearest of two', wanted: 'allow_lst', want: 'allow_list' },
  { name: 'nothing near', wanted: 'flavour', want: null },
  { name: 'nothing at all', wanted: '', want: null },
])('$name', ({ wanted, want }) => {
  expect(nearestName(wanted, ['level', 'concurrency', 'allow_list', 'deny_list'])).toBe(want);
});
