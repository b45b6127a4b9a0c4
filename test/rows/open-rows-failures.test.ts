import { appendFileSync, chmodSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenRowsOptions, openRows } from '../../src/rows/open-rows.js';
import { seededRandom } from '../seeded-random.js';
import { inPieces, readAll } from './pieces.js';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'mailvet-csv-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function file(name: string, content: string | Buffer): string {
  const path = join(dir, name);
  writeFileSync(path, content);
  return path;
}

async function readFile(path: string, options: OpenRowsOptions = {}): Promise<string[]> {
  const source = await openRows({ path }, options);
  const emails: string[] = [];
  for await (const chunk of source.chunks) emails.push(...chunk.map((row) => row.email));
  return emails;
}

describe('a file that changes while it is read', () => {
  const rows = Array.from({ length: 40_000 }, (_, at) => `a${(at * 2654435761) % 2 ** 32}@x.org\n`).join('');
  const changes: Record<string, (path: string) => void> = {
    'grows at its end': (path) => appendFileSync(path, 'b@x.org\n'),
    'is cut off': (path) => writeFileSync(path, rows.slice(0, 80_000)),
    'gets another time': (path) => utimesSync(path, 1, 1),
    'is replaced by another file': (path) => renameSync(file('other.csv', rows), path),
  };

  test.each([
    ...Object.keys(changes).map((name) => ({ name, packed: false })),
    { name: 'gets another time', packed: true },
  ])('$name (gzip: $packed): conflict', async ({ name, packed }) => {
    const path = file('changing.csv', packed ? gzipSync(rows) : rows);
    const source = await openRows({ path });
    const reading = (async () => {
      let isFirst = true;
      for await (const _ of source.chunks) {
        if (isFirst) changes[name]?.(path);
        isFirst = false;
      }
    })();
    await expect(reading).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('changed') });
  });

  test('is complete if only its name is gone', async () => {
    const path = file('removed.csv', rows);
    const source = await openRows({ path });
    let count = 0;
    for await (const chunk of source.chunks) {
      rmSync(path, { force: true });
      count += chunk.length;
    }
    expect(count).toBe(40_000);
  });
});

describe('a file', () => {
  test('is read, and its size and progress are known', async () => {
    const content = 'email\na@x.org\n';
    const source = await openRows({ path: file('good.csv', content) });
    for await (const _ of source.chunks);
    expect([source.totalBytes, source.bytesRead()]).toEqual([content.length, content.length]);
  });

  test('that is compressed reports its progress in compressed bytes', async () => {
    const packed = gzipSync('email\n'.concat('a@x.org\n'.repeat(50_000)));
    const source = await openRows({ path: file('good.csv.gz', packed) });
    let rows = 0;
    for await (const chunk of source.chunks) rows += chunk.length;
    expect([rows, source.totalBytes, source.bytesRead()]).toEqual([50_000, packed.length, packed.length]);
  });

  test.each([
    ['that does not exist', () => join(dir, 'none.csv'), /^There is no file ".*none\.csv"\.$/],
    ['below another file', () => join(file('x', 'y'), 'z.csv'), /^There is no file/],
    ['that is a directory', () => dir, /is a directory, not a file\.$/],
    ['whose name holds a NUL', () => 'a\0b', /cannot be read/],
    ['that is empty', () => file('empty.csv', ''), /is empty\.$/],
    ['of blanks only', () => file('blank.txt', ' \r\n\n\t'), /is empty\.$/],
    ['of a byte order mark only', () => file('mark.txt', '\ufeff'), /is empty\.$/],
    ['that is an empty gzip', () => file('empty.gz', gzipSync('')), /is empty\.$/],
    [
      'that is an OpenDocument spreadsheet',
      () => file('a.ods', `PK\x03\x04${'\0'.repeat(26)}mimetypeapplication/vnd.oasis.opendocument.spreadsheet`),
      /an OpenDocument file\.$/,
    ],
    ['that is an archive', () => file('a.zip', 'PK\x03\x04\x14\0\x06'), /a ZIP archive\.$/],
    [
      'that is a damaged workbook',
      () => file('a.xlsx', 'PK\x03\x04\x14\0\x06xl/workbook.xml'),
      /cannot be read; it is damaged/,
    ],
    ['that is packed with zstd', () => file('a.zst', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1])), /zstd\.$/],
    ['that is packed twice', () => file('a.gz.gz', gzipSync(gzipSync('a@x.org'))), /gzip twice\.$/],
    ['that is binary', () => file('bin', Buffer.from([1, 0, 2, 0, 0, 7, 255, 0, 3])), /a binary file\.$/],
    [
      'of random bytes',
      () => {
        const random = seededRandom(1);
        return file('random', Buffer.from(Array.from({ length: 50_000 }, () => Math.floor(random() * 256))));
      },
      /a binary file\.$/,
    ],
    ['of control characters', () => file('ctl', '\x01\x02\x03\x04\x05abc'), /a binary file\.$/],
    ['cut off within gzip', () => file('cut.gz', gzipSync('a@x.org\n'.repeat(9)).subarray(0, 20)), /cut off/],
    [
      'damaged within gzip',
      () => file('bad.gz', Buffer.concat([gzipSync('a@x.org').subarray(0, 10), Buffer.alloc(30, 0xff)])),
      /damaged/,
    ],
  ])('%s is bad input', async (_name, path, message) => {
    await expect(readFile(path())).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringMatching(message),
      hint: expect.any(String),
    });
  });

  test.skipIf(process.getuid?.() === 0)('that may not be read is bad input', async () => {
    const path = file('secret.csv', 'a@x.org');
    chmodSync(path, 0);
    await expect(readFile(path)).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringMatching(/may not be/),
    });
  });
});

describe('a stream', () => {
  test.each([
    ['that is empty', () => Readable.from([]), 'Standard input is empty.'],
    ['that was closed', () => new PassThrough().destroy(), 'Standard input was closed before its end.'],
    [
      'that breaks',
      () =>
        new Readable({
          read() {
            this.destroy(Object.assign(new Error('is a directory'), { code: 'EISDIR' }));
          },
        }),
      'Standard input is a directory, not a file.',
    ],
  ])('%s is bad input', async (_name, stream, message) => {
    await expect(openRows({ stream: stream() })).rejects.toMatchObject({ code: 'bad_input', message });
  });

  test('that pauses after a line yields that line at once', async () => {
    const stream = new PassThrough();
    stream.write('a@x.org\n');
    const source = await openRows({ stream });
    const chunks = source.chunks[Symbol.asyncIterator]();
    expect((await chunks.next()).value).toEqual([{ cells: ['a@x.org'], email: 'a@x.org', line: 1 }]);
    stream.end('b@x.org\n');
    expect((await chunks.next()).value).toEqual([{ cells: ['b@x.org'], email: 'b@x.org', line: 2 }]);
    expect((await chunks.next()).done).toBe(true);
  });
});

describe('an interruption', () => {
  test('before the start reads nothing', async () => {
    const signal = AbortSignal.abort();
    await expect(openRows({ path: file('a.csv', 'a@x.org') }, { signal })).rejects.toMatchObject({
      code: 'interrupted',
    });
  });

  test('ends a read that waits for a silent stream, and closes it', async () => {
    const stream = new PassThrough();
    const stop = new AbortController();
    const opening = openRows({ stream }, { signal: stop.signal });
    setImmediate(() => stop.abort());
    await expect(opening).rejects.toMatchObject({ code: 'interrupted' });
    expect(stream.destroyed).toBe(true);
  });

  test('ends a list that is being read, and closes it', async () => {
    const stream = new PassThrough();
    stream.write('a@x.org\n');
    const stop = new AbortController();
    const source = await openRows({ stream }, { signal: stop.signal });
    const reading = (async () => {
      for await (const _ of source.chunks) stop.abort();
    })();
    await expect(reading).rejects.toMatchObject({ code: 'interrupted' });
    expect(stream.destroyed).toBe(true);
  });

  test('leaving the loop closes the stream', async () => {
    const stream = inPieces('a@x.org\n'.repeat(50_000), 65536);
    const source = await openRows({ stream });
    for await (const _ of source.chunks) break;
    expect(stream.destroyed).toBe(true);
  });
});

describe('a list', () => {
  test.each([
    {
      name: 'has no column of addresses',
      content: 'a,b\n1,2\n3,4\n',
      options: { format: 'csv' },
      code: 'bad_input',
      hint: 'Name one with --column NAME or NUMBER. The columns are: 1 "a", 2 "b".',
    },
    {
      name: 'lacks the requested column',
      content: 'name,email\nA,a@x.org\n',
      options: { column: 'emial' },
      code: 'usage',
      hint: 'Did you mean "email"? The columns are: 1 "name", 2 "email".',
    },
    {
      name: 'has lines, although a column is requested',
      content: 'a@x.org\n',
      options: { format: 'lines', column: 'mail' },
      code: 'usage',
      hint: 'Leave out --column, or use --input csv.',
    },
    {
      name: 'lacks the requested field',
      content: '[{"mail":"a@x.org"}]',
      options: { column: 'mial' },
      code: 'usage',
      hint: 'Did you mean "mail"? The fields are: "mail".',
    },
    {
      name: 'lacks the requested field, although there are strings, too',
      content: '["b@x.org",{"mail":"a@x.org"}]',
      options: { column: 'mial' },
      code: 'usage',
      hint: 'Did you mean "mail"? The fields are: "mail".',
    },
    {
      name: 'is an array of arrays',
      content: '[["a@x.org"]]',
      options: {},
      code: 'bad_input',
      hint: 'Give an array of addresses, or of objects with a field for the address.',
    },
    {
      name: 'has an array in each line',
      content: '{"email":"a@x.org"}\n["A","b@x.org"]\n',
      options: {},
      code: 'bad_input',
      hint: 'Give an array of addresses, or of objects with a field for the address.',
    },
    {
      name: 'has addresses as field names',
      content: '{"a@x.org":{"id":1},"b@x.org":{"id":2}}\n',
      options: {},
      code: 'bad_input',
      hint: 'Name one with --column, or take addresses out with --input text. The fields are: "a@x.org", "b@x.org".',
    },
    {
      name: 'has objects without an address',
      content: '{"id":1}\n{"id":2}\n',
      options: {},
      code: 'bad_input',
      hint: 'Name one with --column, or take addresses out with --input text. The fields are: "id".',
    },
    {
      name: 'has its addresses deeper',
      content: '{"users":[{"mail":"a@x.org"}]}\n{"users":[]}\n',
      options: {},
      code: 'bad_input',
      hint: 'Name one with --column, or take addresses out with --input text. The fields are: "users".',
    },
    {
      name: 'has its addresses in nested objects',
      content: '{"user":{"email":"a@x.org"}}\n',
      options: {},
      code: 'bad_input',
      hint: 'Name one with --column, or take addresses out with --input text. The fields are: "user".',
    },
    {
      name: 'is one JSON object',
      content: '{\n "emails": ["nobody"]\n}',
      options: {},
      code: 'bad_input',
      hint: 'Give an array of strings or of objects, an object with such an array in it, or one object per line (NDJSON).',
    },
  ] as const)('that $name is refused with a hint', async ({ content, options, code, hint }) => {
    await expect(readAll(content, 65536, options)).rejects.toMatchObject({ code, hint });
  });

  test.each([
    ['The JSON is malformed at character 11: it ends before the array does.', '["a@x.org"'],
    ['The JSON is malformed at character 2: element 1 of the array is not a JSON value.', '["a@x.org" "b@x.org"]'],
    ['The JSON is malformed at character 2: element 1 of the array is not a JSON value.', '[null}'],
    ['The JSON is malformed at character 12: a value is missing.', '["a@x.org",]'],
    ['The JSON is malformed at character 13: element 2 of the array is not a JSON value.', '["a@x.org", nope]'],
    ['The JSON is malformed at character 13: element 2 of the array is not a JSON value.', '["a@x.org", {"a":]}]'],
    ['The JSON is malformed at character 13: something follows the end of the array.', '["a@x.org"] ["b"]'],
    ['The JSON is malformed at character 66: the values are nested more than 64 deep.', `[${'['.repeat(70)}`],
    [
      'The JSON is malformed at character 6: element 2 of the array is longer than 1048576 characters.',
      `["a","${'x'.repeat(1_200_000)}"]`,
    ],
  ])('of malformed JSON: %s', async (message, content) => {
    const sizes = content.length > 1000 ? [65536] : [1, 7, 65536];
    for (const size of sizes) {
      await expect(readAll(content, size, { format: 'json' })).rejects.toMatchObject({ code: 'bad_input', message });
    }
  });

  test.each([
    ['Element 2 of the JSON array is a number; it must be a string or an object.', '["a@x.org",12]'],
    ['Line 3 of the NDJSON is an array; it must be a string or an object.', '{"email":"a@x.org"}\n\n["b@x.org"]\n'],
    [
      'Line 2 of the NDJSON is a number; it must be a string or an object.',
      '{"email":"a@x.org"}\n7\n{"email":"b@x.org"}\n',
    ],
    ['Line 2 of the NDJSON is false; it must be a string or an object.', '{"email":"a@x.org"}\nfalse\n'],
    ['Element 1 of the JSON array is true; it must be a string or an object.', '[true]'],
  ])('with something else in it: %s', async (message, content) => {
    for (const size of [1, 65536]) {
      await expect(readAll(content, size, {})).rejects.toMatchObject({ code: 'bad_input', message });
    }
  });

  test('that is a bomb of one endless gzip line is read in bounded memory, as one row', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 'a'));
    expect((await readAll(bomb, 65536)).emails).toEqual([`${'a'.repeat(1000)}…`]);
  });
});
