import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { readDataFile } from '../../../src/disk/bundled-file.js';
import { openSortedLines } from '../../../src/engine/lists/sorted-lines.js';
import { Failure } from '../../../src/model/failure.js';

const folder = mkdtempSync(join(tmpdir(), 'sorted-lines-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function linesOf(text: string) {
  files += 1;
  const path = join(folder, `${files}.txt`);
  writeFileSync(path, text);
  return openSortedLines(() => readDataFile(path));
}

describe('sorted lines', () => {
  const lines = linesOf('a\nab\nabc\nb.com\nb.com.au\nc\n');
  test.each(['a', 'ab', 'abc', 'b.com', 'b.com.au', 'c'])('has %s', (line) => expect(lines.has(line)).toBe(true));
  test.each(['', 'b', 'b.co', 'b.com.', 'b.com.a', 'abcd', 'd', '0', 'a\nab', 'é', '\uff41'])(
    'does not have %j',
    (line) => expect(lines.has(line)).toBe(false),
  );

  test('a line is found by its two parts, before and after the filter is built', () => {
    const rules = linesOf('!a.b\n*.c\nd\n');
    const answers = () => [rules.has('a.b', '!'), rules.has('c', '*.'), rules.has('c', '!'), rules.has('b', 'a.')];
    for (let round = 0; round < 100; round++) expect(answers()).toEqual([true, true, false, false]);
  });

  test('an empty file has no lines', () => expect(linesOf('').has('a')).toBe(false));
  test('the last line may lack its newline', () => expect(linesOf('a\nb').has('b')).toBe(true));

  test('has() returns the same as a Set, for any lines', () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'b', '-', '.', 'z'), minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 40 }), fc.array(line, { maxLength: 40 }), (kept, asked) => {
        const set = new Set(kept);
        const sorted = linesOf(`${[...set].sort().join('\n')}\n`);
        const agrees = () => [...kept, ...asked].every((key) => sorted.has(key) === set.has(key));
        // Often enough that the filter is built in between.
        return Array.from({ length: 300 }, agrees).every(Boolean);
      }),
      { numRuns: 50 },
    );
  });

  test('a missing file is a damaged installation', () => {
    const missing = openSortedLines(() => readDataFile(join(folder, 'missing.txt')));
    expect(() => missing.has('a')).toThrow(Failure);
    expect(() => missing.has('a')).toThrow('The bundled data file missing.txt cannot be read.');
  });
});
