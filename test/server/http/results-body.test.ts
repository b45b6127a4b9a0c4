import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { JobResultRow } from '../../../src/model/job.js';
import { streamResults } from '../../../src/server/http/results-body.js';

const caller = { priority: 'job', owner: 'a', taskId: '' } as const;

/** Lists of a hundred rows, as many as are asked for. */
async function* lists(count: number, given: JobResultRow[][]): AsyncGenerator<JobResultRow[]> {
  for (let list = 0; list < count; list++) {
    const rows = Array.from({ length: 100 }, (_, row) => {
      const email = `user${list}-${row}@python.org`;
      return { cells: [email], email, verdict: null };
    });
    given.push(rows);
    yield rows;
  }
}

test('many slow readers hold no rows, and their files are read no further than they take', async () => {
  const given = Array.from({ length: 50 }, (): JobResultRow[][] => []);
  const readers = given.map((some) => streamResults('csv', { columns: ['email'], rows: lists(1_000, some) }, caller));
  await Promise.all(readers.map((reader) => once(reader, 'readable')));
  expect(given.flat(2)).toEqual([]);
  expect(Math.max(...given.map((some) => some.length))).toBeLessThan(60);
  for (const reader of readers) reader.destroy();
});

test('a client that reads everything gets every row once and in order', async () => {
  let text = '';
  for await (const piece of streamResults('csv', { columns: ['email'], rows: lists(50, []) }, caller)) text += piece;
  const emails = text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',')[0]);
  expect(emails).toEqual(
    Array.from({ length: 5_000 }, (_, at) => `user${Math.floor(at / 100)}-${at % 100}@python.org`),
  );
});
