import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { readJobResults } from '../../../src/service/remote/job-results.js';

describe('rows of a job', () => {
  const answer = (stream: Readable) => ({
    status: 200,
    contentType: 'application/x-ndjson',
    retryAfter: null,
    location: null,
    text: '',
    stream,
  });
  const readAll = async (stream: Readable) => {
    const { rows } = await readJobResults(answer(stream));
    const emails = [];
    for await (const some of rows) emails.push(...some.map(({ email }) => email));
    return emails;
  };

  test('that never end a line are refused within bounded memory', async () => {
    const piece = Buffer.alloc(4_096, ' ');
    function* endless() {
      for (;;) yield piece;
    }
    await expect(readAll(Readable.from(endless()))).rejects.toMatchObject({ code: 'bad_answer' });
  });

  test('that end within a character keep its bytes', async () => {
    const bytes = Buffer.from('{"columns":["email"]}\n{"cells":["a@a.com"]}é').subarray(0, -1);
    await expect(readAll(Readable.from([bytes]))).rejects.toMatchObject({ code: 'bad_answer' });
  });

  test.each([
    { columns: ['column_1', 'column_2'], hasHeader: false },
    { columns: ['column_1', 'email'], hasHeader: true },
  ])('of a table with the columns $columns have a header: $hasHeader', async ({ columns, hasHeader }) => {
    const layout = { has_header: true, delimiter: ';' };
    const stream = Readable.from([Buffer.from(`${JSON.stringify({ columns, layout })}\n`)]);
    expect(await readJobResults(answer(stream))).toMatchObject({ layout: { hasHeader, delimiter: ';' } });
  });

  test('that come byte by byte are read', async () => {
    const text =
      '{"columns":["email"]}\n{"cells":["é@a.com"],"email":"é@a.com"}\n\n{"cells":["b@a.com"],"email":"b@a.com"}';
    const bytes = [...Buffer.from(text)].map((byte) => Buffer.from([byte]));
    expect(await readAll(Readable.from(bytes))).toEqual(['é@a.com', 'b@a.com']);
  });
});
