import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { emptyVerdict, type JobResultRow, suppressedVerdict } from '../../../src/model/job.js';
import { escapeInnerFormulas } from '../../../src/rows/table/formula.js';
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

describe('a CSV for spreadsheets, which may split at another delimiter', () => {
  const written = async (cell: string, text?: string): Promise<string> => {
    async function* rows(): AsyncGenerator<JobResultRow[]> {
      yield [{ cells: [cell, 'a@b.co'], email: 'a@b.co', verdict: emptyVerdict, ...(text && { text }) }];
    }
    const preamble = '\ufeff=1+1;-2+cmd|x\n';
    const layout = { hasHeader: true, delimiter: ',', preamble, headerText: 'x;=1+1,email\n', lineEnd: '\n' };
    let csv = '';
    const results = { columns: ['x;=1+1', 'email'], layout, rows: rows() };
    for await (const piece of streamResults('csv', results, caller)) csv += piece;
    const [titles, header, ...lines] = csv.split('\n');
    expect([titles, header]).toEqual(["\ufeff'=1+1;'-2+cmd|x", expect.stringMatching(/^x;'=1\+1,email,/)]);
    return lines.join('\n').replace(/,a@b\.co,empty,,,,\n$/, '');
  };

  test.each([
    { cell: "x;=cmd|'/C calc'!A0", want: "x;'=cmd|'/C calc'!A0" },
    { cell: 'a\t=1+1', want: "a\t'=1+1" },
    { cell: 'a,=1+1', want: `"a,'=1+1"` },
    { cell: 'a\n=1+1', want: `"a\n'=1+1"` },
    { cell: 'a;"=1+1"', want: `"a;""'=1+1"""` },
    { cell: "a;+1+cmd|'/C calc'!A0;-SUM(1)", want: "a;'+1+cmd|'/C calc'!A0;'-SUM(1)" },
    { cell: 'a\t＝1;=1', want: "a\t'＝1;'=1" },
    { cell: '=1;=2', want: "'=1;'=2" },
    { cell: '+49 30 1;-5;@ada; = ', want: '+49 30 1;-5;@ada; = ' },
    { cell: 'x=1;y=2', want: 'x=1;y=2' },
  ])('$cell', async ({ cell, want }) => {
    expect(await written(cell)).toBe(want);
    const quoted = `"${cell.replaceAll('"', '""')}"`;
    const wantQuoted = want.startsWith('"') ? want : `"${want}"`;
    // Text of the list is kept only if no cell of it is a formula.
    expect([want, wantQuoted]).toContain(await written(cell, `${quoted},a@b.co\n`));
  });

  test('takes linear time', () => {
    const started = performance.now();
    for (const text of ['\t', '"', ';"', ';', '\t"=']) escapeInnerFormulas(text.repeat(500_000));
    expect(performance.now() - started).toBeLessThan(2_000);
  });
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
