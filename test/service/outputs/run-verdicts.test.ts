import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRunVerdicts } from '../../../src/service/outputs/run-verdicts.js';

describe('the memory of a run', () => {
  test('distinguishes 200,000 mailboxes, and finds each again', () => {
    const memory = createRunVerdicts();
    const entries = Array.from({ length: 200_000 }, (_, index) => memory.entryOf(`user${index}@site.example`));
    expect(new Set(entries).size).toBe(200_000);
    expect(memory.entryOf('user0@site.example')).toBe(entries[0]);
    expect(memory.entryOf('user199999@site.example')).toBe(entries[199_999]);
  });

  test('different texts are different mailboxes', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: 'binary' }), { maxLength: 100 }), (texts) => {
        const memory = createRunVerdicts();
        expect(new Set(texts.map((text) => memory.entryOf(text))).size).toBe(texts.length);
      }),
      { numRuns: 30 },
    );
  });

  test('a mailbox is new only once', () => {
    const memory = createRunVerdicts();
    const entry = memory.entryOf('a');
    expect([memory.markSeen(entry), memory.markSeen(entry)]).toEqual([true, false]);
  });

  test.each([
    { status: 'valid', is_valid: true, confidence: 0.95 },
    { status: 'no word of ours', is_valid: false, confidence: 0.123456789 },
    {
      status: 'risky',
      is_valid: false,
      confidence: 0,
      sub_status: 'role_based',
      safe_to_send: false,
      did_you_mean: 'x@y.io',
    },
  ])('a verdict is repeated under the spelling asked for: $status', (verdict) => {
    const memory = createRunVerdicts();
    const entry = memory.entryOf('a');
    expect(memory.recall(entry, 'A')).toBeNull();
    memory.remember(entry, { email: 'a', ...verdict });
    expect(memory.recall(entry, 'A')).toEqual({ email: 'A', ...verdict });
  });
});
