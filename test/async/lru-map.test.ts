import { expect, test } from 'vitest';
import { LruMap } from '../../src/async/lru-map.js';

test('keeps at least half of its limit and never more than the limit', () => {
  const map = new LruMap<number>({ maxEntries: 10 });
  for (let index = 0; index < 100; index++) map.set(`key${index}`, index);
  const known = Array.from({ length: 100 }, (_, index) => map.get(`key${index}`)).filter(
    (value) => value !== undefined,
  );
  expect(known.length).toBeLessThanOrEqual(10);
  expect(known.slice(-5)).toEqual([95, 96, 97, 98, 99]);
  expect([...map.values()].length).toBeLessThanOrEqual(10);
});

test('setting or deleting an entry takes effect at once, in both generations', () => {
  const map = new LruMap<number | null>({ maxEntries: 4 });
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', null);
  expect(map.get('a')).toBeNull();
  map.set('c', 3);
  map.delete('a');
  expect(map.get('a')).toBeUndefined();
  expect(map.get('b')).toBe(2);
  expect([...map.values()].sort()).toEqual([2, 3]);
});

test('a key that stays in use is created once', () => {
  const created: string[] = [];
  const map = new LruMap<string>({ maxEntries: 4 });
  const upper = (key: string) =>
    map.getOrCreate(key, () => {
      created.push(key);
      return key.toUpperCase();
    });
  expect(['a', 'a', 'b', 'c', 'a', 'd', 'a'].map(upper)).toEqual(['A', 'A', 'B', 'C', 'A', 'D', 'A']);
  expect(created).toEqual(['a', 'b', 'c', 'd']);
});

test('the least recently used entry is evicted', () => {
  const created: string[] = [];
  const map = new LruMap<number>({ maxEntries: 4 });
  for (const key of ['a', 'b', 'c', 'd', 'e', 'a']) map.getOrCreate(key, () => created.push(key));
  expect(created).toEqual(['a', 'b', 'c', 'd', 'e', 'a']);
});

test('an expired entry is not returned, however often it was used', () => {
  let now = 0;
  const map = new LruMap<number>({ maxEntries: 10, ttlMs: 100, now: () => now });
  map.set('a', 1);
  map.set('b', 2, 1_000);
  now = 99;
  expect(map.get('a')).toBe(1);
  now = 100;
  expect([map.get('a'), map.has('a'), map.get('b')]).toEqual([undefined, false, 2]);
  map.set('a', 3);
  expect(map.get('a')).toBe(3);
});

test('the sum of the weights is bounded', () => {
  const map = new LruMap<number>({ maxEntries: 1000, maxWeight: 100 });
  for (let index = 0; index < 100; index++) {
    map.set(`key${index}`, index);
    map.setWeight(`key${index}`, 10);
  }
  expect(map.size).toBeLessThanOrEqual(12);
  expect(map.get('key99')).toBe(99);
});

test('entries keep their weight while they are used again', () => {
  const map = new LruMap<number>({ maxEntries: 1000, maxWeight: 100 });
  for (let index = 0; index < 100; index++) {
    map.set(`key${index}`, index);
    map.setWeight(`key${index}`, 10);
    for (let other = 0; other < index; other++) map.get(`key${other}`);
  }
  expect(map.size).toBeLessThanOrEqual(12);
  map.setWeight('key99', 1);
  map.delete('key98');
  expect(map.get('key99')).toBe(99);
});
