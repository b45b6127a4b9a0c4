import { expect, test } from 'vitest';
import { timeSlicesFor } from '../../../src/async/time-slicer.js';
import { openJobRows } from '../../../src/jobs/run/job-rows.js';
import type { ListedEmail } from '../../../src/jobs/store/files.js';

test.each([
  { name: 'a list', lines: 100, isRespelled: true, times: 1 },
  { name: 'a list that is too long to be kept', lines: 101, isRespelled: false, times: 1 },
  { name: 'such a list with a mailbox in two spellings', lines: 101, isRespelled: true, times: 2 },
])('the addresses of $name are read $times times, and asked in order', async ({ lines, isRespelled, times }) => {
  let reads = 0;
  async function* readEmails(): AsyncGenerator<ListedEmail[]> {
    reads++;
    for (let line = 0; line < lines; line++)
      yield Array.from({ length: 1_000 }, (_, row) => `${line}.${row}@x.example`);
  }
  async function* noResults() {}
  const range = { first: 0, end: 1_000 * lines, isRespelled, isOwn: () => true, isLeft: () => false };
  const slices = timeSlicesFor({ priority: 'job', owner: '', taskId: '' });
  const { source } = await openJobRows(readEmails, noResults(), slices, range);
  let next = 0;
  for await (const rows of source({}).items)
    for (const { row, email } of rows)
      if (row !== next++ || email !== `${Math.floor(row / 1_000)}.${row % 1_000}@x.example`) throw new Error(email);
  expect([next, reads]).toEqual([1_000 * lines, times]);
});
