import { expect, test } from 'vitest';
import { recent } from '../../src/async/bounded-map.js';

test('the last half of the limit is known, what came before is forgotten', () => {
  const map = recent<number | null>(10);
  for (let index = 0; index < 100; index++) map.set(`key${index}`, index);
  const known = Array.from({ length: 100 }, (_, index) => map.get(`key${index}`)).filter(
    (value) => value !== undefined,
  );
  expect(known.length).toBeLessThanOrEqual(10);
  expect(known.slice(-5)).toEqual([95, 96, 97, 98, 99]);
});

test('what is put in again or taken out is so at once', () => {
  const map = recent<number | null>(4);
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', null);
  expect(map.get('a')).toBeNull();
  map.delete('a');
  expect(map.get('a')).toBeUndefined();
  expect(map.get('b')).toBe(2);
});
