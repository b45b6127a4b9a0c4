import { expect, test } from 'vitest';
import { boundedMemo } from '../../src/async/bounded-memo.js';

test('a key is answered once while it stays in use', () => {
  const asked: string[] = [];
  const memo = boundedMemo(2, (key) => {
    asked.push(key);
    return key.toUpperCase();
  });
  expect(['a', 'a', 'b', 'c', 'a', 'd', 'a'].map(memo)).toEqual(['A', 'A', 'B', 'C', 'A', 'D', 'A']);
  expect(asked).toEqual(['a', 'b', 'c', 'd']);
});

test('what was not asked for a long time is forgotten', () => {
  const asked: string[] = [];
  const memo = boundedMemo(2, (key) => asked.push(key));
  for (const key of ['a', 'b', 'c', 'd', 'e', 'a']) memo(key);
  expect(asked).toEqual(['a', 'b', 'c', 'd', 'e', 'a']);
});
