import { expect, test } from 'vitest';
import { UncommittedResults } from '../../../src/jobs/run/uncommitted-results.js';

test('a batch counts only its own rows as reused, so that a crash counts none twice', () => {
  const verdict = { status: 'valid', sub_status: '', confidence: 1, safe_to_send: true, did_you_mean: null };
  const results = new UncommittedResults('smtp');
  for (let row = 0; row < 3; row++) {
    results.add({ row, verdict, duplicate: false, retryAt: null, refusedAt: null }, null, row !== 1);
  }
  expect([2, 2].map((rows) => results.drain(rows).batch.counts.reused)).toEqual([1, 1]);
});
