import { expect, test } from 'vitest';
import { createListMailboxes } from '../../../src/jobs/uploads/list-mailboxes.js';

test('a mailbox is new once in a list, and first once in each of its parts', () => {
  const seen = createListMailboxes(100);
  expect(['a', 'b', 'a', 'b', 'a'].map((key, row) => seen.add(key, row))).toEqual(['new', 'new', 0, 1, 0]);
  seen.beginPart();
  expect(['b', 'c', 'c', 'b'].map((key, row) => seen.add(key, row))).toEqual(['in an earlier part', 'new', 1, 0]);
  expect(seen.isFull).toBe(false);
});

test('rows stay distinct through every growth of a part', () => {
  const seen = createListMailboxes(1_000_000);
  const keys = Array.from({ length: 20_000 }, (_, row) => `user${row}@x.org`);
  expect(keys.every((key, row) => seen.add(key, row) === 'new')).toBe(true);
  expect(keys.every((key, row) => seen.add(key, 20_000 + row) === row)).toBe(true);
});

test('above its limit, a list reports it, and still knows the rows of the part', () => {
  const seen = createListMailboxes(1);
  expect(['a', 'b', 'b', 'a'].map((key, row) => seen.add(key, row))).toEqual(['new', 'new', 1, 0]);
  expect(seen.isFull).toBe(true);
});
