import { expect, test } from 'vitest';
import { randomLocalPart } from '../../../src/net/probe/random-mailbox.js';

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
