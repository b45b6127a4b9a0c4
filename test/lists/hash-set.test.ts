import { describe, expect, test } from 'vitest';
import { createHashSet } from '../../src/lists/hash-set.js';

describe('createSeen', () => {
  test('a key is new once', () => {
    const seen = createHashSet();
    expect(['a@x.org', 'b@x.org', 'a@x.org', '', '', 'A@x.org'].map((key) => seen.add(key))).toEqual([
      true,
      true,
      false,
      true,
      false,
      true,
    ]);
    expect(seen.size).toBe(4);
    expect(seen.full).toBe(false);
  });

  test('keys that differ in length, in zeros or in script are different', () => {
    const seen = createHashSet();
    const keys = [
      'a',
      'a\0',
      'a\0\0',
      'a\0\0\0',
      '\0',
      '\0\0',
      'é',
      'e\u0301',
      '漢',
      '😀',
      'a'.repeat(300),
      'a'.repeat(5000),
      'a'.repeat(5001),
    ];
    expect(keys.map((key) => seen.add(key))).toEqual(keys.map(() => true));
    expect(keys.map((key) => seen.add(key))).toEqual(keys.map(() => false));
  });

  test('half a million keys stay distinct, through every growth', () => {
    const seen = createHashSet();
    const key = (index: number) => `user${index}@x.org`;
    let fresh = 0;
    for (let index = 0; index < 500_000; index++) if (seen.add(key(index))) fresh++;
    expect(fresh).toBe(500_000);
    let known = 0;
    for (let index = 0; index < 500_000; index++) if (!seen.add(key(index))) known++;
    expect(known).toBe(500_000);
    expect(seen.size).toBe(500_000);
  });

  test('a full set keeps its keys and adds none', () => {
    const seen = createHashSet(2);
    expect([seen.add('a'), seen.add('b'), seen.full]).toEqual([true, true, false]);
    expect([seen.add('c'), seen.add('c'), seen.full]).toEqual([true, true, true]);
    expect([seen.add('a'), seen.add('b'), seen.size]).toEqual([false, false, 2]);
  });
});
