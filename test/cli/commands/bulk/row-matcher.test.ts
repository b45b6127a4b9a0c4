import { expect, test } from 'vitest';
import { RowMatcher } from '../../../../src/cli/commands/bulk/row-matcher.js';
import { resultOf } from '../../../fakes/service.js';

test('many rows without an address come in batches, in order', async () => {
  const rows = Array.from({ length: 12_000 }, (_, index) => ({ cells: [String(index), ''], email: '' }));
  const last = { cells: ['last', 'a@b.co'], email: 'a@b.co' };
  const matcher = new RowMatcher();
  async function* chunks() {
    yield rows;
    yield [last];
  }
  for await (const _ of matcher.emails(chunks()));
  const sizes: number[] = [];
  const seen: unknown[] = [];
  const answers = [{ result: resultOf('a@b.co'), duplicate: false }];
  for (let batch = matcher.match(answers); batch.rows.length > 0; batch = matcher.match([])) {
    sizes.push(batch.rows.length);
    seen.push(...batch.rows);
    expect(batch.answers).toHaveLength(batch.rows.length);
  }
  expect(sizes).toEqual([5_000, 5_000, 2_001]);
  expect(seen).toEqual([...rows, last]);
});

test('rows without an address are not read far ahead of those that are matched', async () => {
  const matcher = new RowMatcher();
  let read = 0;
  async function* chunks() {
    for (; read < 300; read++) yield Array.from({ length: 1_000 }, () => ({ cells: ['x', ''], email: '' }));
  }
  let matched = 0;
  let mostAhead = 0;
  const matchAll = (): void => {
    mostAhead = Math.max(mostAhead, read * 1_000 - matched);
    for (let batch = matcher.match([]); batch.rows.length > 0; batch = matcher.match([])) matched += batch.rows.length;
  };
  // Slower than the reader.
  const writer = setInterval(matchAll, 5);
  try {
    for await (const _ of matcher.emails(chunks()));
  } finally {
    clearInterval(writer);
  }
  matchAll();
  expect(matched).toBe(300_000);
  expect(mostAhead).toBeLessThan(110_000);
});
