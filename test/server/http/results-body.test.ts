import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { strFromU8, unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { emptyVerdict, type JobResultRow, suppressedVerdict } from '../../../src/model/job.js';
import { streamResults } from '../../../src/server/http/results-body.js';

const caller = { priority: 'job', owner: 'a', taskId: '' } as const;

/** This many lists of a hundred rows. */
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

test('rows for slow readers are not buffered, and their files are read only as far as needed', async () => {
  const received = Array.from({ length: 50 }, (): JobResultRow[][] => []);
  const readers = received.map((some) =>
    streamResults('csv', { columns: ['email'], rows: lists(1_000, some) }, caller),
  );
  await Promise.all(readers.map((reader) => once(reader, 'readable')));
  expect(received.flat(2)).toEqual([]);
  expect(Math.max(...received.map((some) => some.length))).toBeLessThan(60);
  for (const reader of readers) reader.destroy();
});

test.each([emptyVerdict, suppressedVerdict])('a row that is $status has no confidence', async (verdict) => {
  async function* rows(): AsyncGenerator<JobResultRow[]> {
    yield [{ cells: ['a@b.co'], email: 'a@b.co', verdict }];
  }
  let text = '';
  for await (const piece of streamResults('csv', { columns: ['email'], rows: rows() }, caller)) text += piece;
  expect(text.split('\n')[1]).toBe(`a@b.co,${verdict.status},,,,`);
});

test('a CSV of a list with tabs has commas', async () => {
  async function* rows(): AsyncGenerator<JobResultRow[]> {
    yield [{ cells: ['A, x', 'a@b.co'], email: 'a@b.co', text: 'A, x\ta@b.co\r\n', verdict: emptyVerdict }];
  }
  const layout = { hasHeader: true, delimiter: '\t', headerText: 'name\temail\r\n', lineEnd: '\r\n' };
  let text = '';
  const results = { columns: ['name', 'email'], layout, rows: rows() };
  for await (const piece of streamResults('csv', results, caller)) text += piece;
  expect(text).toMatch(/^name,email,mailvet_status,.*\r\n"A, x",a@b\.co,empty,,,,\r\n$/);
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

test('a workbook has the confidence as a number, and a column of the list that is named like it as text', async () => {
  const verdict = {
    status: 'valid' as const,
    sub_status: '',
    confidence: 0.97,
    safe_to_send: true,
    did_you_mean: null,
  };
  async function* rows(): AsyncGenerator<JobResultRow[]> {
    yield [{ email: 'a@x.org', cells: ['a@x.org', '00123'], verdict }];
  }
  const columns = ['email', 'my_mailvet_confidence'];
  const book = await buffer(streamResults('xlsx', { columns, rows: rows() }, caller));
  const xml = strFromU8(unzipSync(book)['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
  expect(xml.match(/<v>[^<]*<\/v>/g)).toEqual(['<v>0.97</v>']);
});
