import { expect, test } from 'vitest';
import { patternOf, randomLocalPart, shapeOf } from '../../../src/net/probe/random-mailbox.js';

const secret = Buffer.alloc(32, 1);

test('the random mailbox is shaped like a name of 16 characters or more', () => {
  for (let index = 0; index < 200; index++) {
    expect(randomLocalPart(secret, `d${index}.example`)).toMatch(/^(?:[a-z][aeiou]){4}\.(?:[a-z][aeiou]){5}$/);
  }
});

test('it is the same only for the same domain and secret', () => {
  expect(randomLocalPart(secret, 'a.example')).toBe(randomLocalPart(Buffer.alloc(32, 1), 'a.example'));
  const names = Array.from({ length: 1_000 }, (_, index) => randomLocalPart(secret, `d${index}.example`));
  expect(new Set(names).size).toBe(1_000);
  expect(randomLocalPart(Buffer.alloc(32, 2), 'a.example')).not.toBe(randomLocalPart(secret, 'a.example'));
});

test.each([
  ['jane', 'aaaaaaaaaaaa'],
  ['Jane.Doe', 'aaaaaaaa.aaaaaaaaaa'],
  ['jdoe77', 'aaaaaaaaaa00'],
  ['jane_doe', 'aaaaaa_aaaaaa'],
  ['4711', '000000000000'],
  ['j-doe+news', 'aaaa-aaaa+aaaa'],
])('a name like %s has the shape %s, and no shorter one', (name, shape) => {
  const pattern = patternOf(name) ?? '';
  expect(shapeOf(pattern)).toBe(shape);
  const random = randomLocalPart(secret, 'a.example', shape);
  expect(random.replace(/[a-z]/g, 'a').replace(/\d/g, '0')).toBe(shape);
  expect(patternOf(random)?.replace('…', '')).toBe(pattern);
});

test('quoted and international names have no pattern, and long names another than short ones', () => {
  expect([patternOf('"a b"'), patternOf('jürgen'), patternOf('a.b.c.d.e.f.g')]).toEqual([null, null, null]);
  expect(patternOf('maximilian_mustermann')).not.toBe(patternOf('max_muster'));
});
