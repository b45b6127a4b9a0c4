import { expect, test } from 'vitest';
import { verdictTable } from '../../src/jobs/verdict-table.js';
import type { RowVerdict } from '../../src/model/job.js';

const verdicts: RowVerdict[] = [
  { status: 'valid', sub_status: '', confidence: 0.95, safe_to_send: true, did_you_mean: null },
  {
    status: 'invalid',
    sub_status: 'no_such_mailbox',
    confidence: 1 / 3,
    safe_to_send: false,
    did_you_mean: 'ada@gmail.com',
  },
  { status: 'unknown', sub_status: 'dns_timeout', confidence: 0, safe_to_send: false, did_you_mean: null },
];

test('gives back what was put in, to the last digit, and nothing for rows without an answer', () => {
  const table = verdictTable(5);
  for (const [row, verdict] of verdicts.entries()) table.set(row, verdict);
  expect(verdicts.map((_, row) => table.get(row))).toEqual(verdicts);
  expect([table.get(3), table.get(4), table.get(5), table.get(-1)]).toEqual([null, null, null, null]);
});

test('a later verdict replaces an earlier one, and null takes it back', () => {
  const table = verdictTable(1);
  for (const verdict of verdicts) table.set(0, verdict);
  expect(table.get(0)).toEqual(verdicts[2]);
  table.set(0, null);
  expect(table.get(0)).toBeNull();
});

test('a row that the job does not have is left out', () => {
  const table = verdictTable(1);
  table.set(7, verdicts[0] ?? null);
  expect(table.get(7)).toBeNull();
});
