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

  test.each([
    { status: 'valid', sub_status: '', confidence: 0.95 },
    { status: 'no word of ours', sub_status: '', confidence: 0.123456789 },
    { status: 'risky', sub_status: 'role_based', confidence: 0 },
  ])('a verdict is found again: $status', (verdict) => {
    const memory = createRunVerdicts();
    const entry = memory.entryOf('a');
    expect(memory.recall(entry)).toBeNull();
    memory.remember(entry, verdict);
    expect(memory.recall(entry)).toEqual(verdict);
  });
});
