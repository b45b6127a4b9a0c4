import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { previewCsv } from '../../src/rows/preview.js';
import { type CsvPart, splitCsv } from '../../src/rows/split-csv.js';

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

describe('previewCsv', () => {
  test('a small file is counted', async () => {
    const path = file('small.csv', 'name;E-Mail\nA;a@x.org\n"B\nB";b@x.org\nC;c@x.org\n');
    expect(await previewCsv(path, { sampleRows: 2 })).toEqual({
      columns: ['name', 'E-Mail'],
      suggestedEmailColumn: 'E-Mail',
      suggestedIndex: 1,
      sampleRows: [
        ['A', 'a@x.org'],
        ['B\nB', 'b@x.org'],
      ],
      rowCount: 3,
      rowCountExact: true,
      hasHeader: true,
      delimiter: ';',
    });
  });

  test('a file without a column of addresses has no suggestion, but is not a Failure', async () => {
    expect(await previewCsv(file('none.csv', 'a,b\n1,2\n'))).toMatchObject({ suggestedEmailColumn: null, rowCount: 1 });
  });

  test('a file without a header has made-up names', async () => {
    expect(await previewCsv(file('bare.csv', 'A,a@x.org\n'))).toMatchObject({
      columns: ['column_1', 'column_2'],
      suggestedEmailColumn: 'column_2',
      hasHeader: false,
      rowCount: 1,
    });
  });

  test('the rows of a large file are estimated from its beginning, and marked as an estimate', async () => {
    const rows = 600_000;
    const preview = await previewCsv(
      file('large.csv', 'name,email\n'.concat('Somebody,someone@example.org\n'.repeat(rows))),
    );
    expect(preview.rowCountExact).toBe(false);
    expect(Math.abs(preview.rowCount / rows - 1)).toBeLessThan(0.01);
    expect(preview.sampleRows).toHaveLength(5);
  });

  test('the rows of a compressed file are estimated, too', async () => {
    const rows = Array.from(
      { length: 40_000 },
      (_, index) => `${(index * 2_654_435_761) % 4_294_967_291},${'same '.repeat(15)},u${index}@x.org\n`,
    );
    const path = file('packed.csv.gz', gzipSync(`id,note,email\n${rows.join('')}`));
    const preview = await previewCsv(path, { countedBytes: 500_000 });
    expect(preview.rowCountExact).toBe(false);
    expect(Math.abs(preview.rowCount / rows.length - 1)).toBeLessThan(0.5);
  });

  test('a missing file is bad input', async () => {
    await expect(previewCsv(join(dir, 'nowhere.csv'))).rejects.toMatchObject({ code: 'bad_input' });
  });
});

describe('splitCsv', () => {
  async function parts(content: string | Buffer, maxRows: number, to: string): Promise<CsvPart[]> {
    const all: CsvPart[] = [];
    for await (const part of splitCsv(file(`${to}.csv`, content), maxRows, join(dir, to))) all.push(part);
    return all;
  }
  const texts = (all: CsvPart[]) => all.map(({ path }) => readFileSync(path, 'utf8'));

  test('each part has the header, and rows keep their order, delimiter and cells', async () => {
    const all = await parts('\ufeffname;email\r\n"A;1";a@x.org\r\n=B;b@x.org\r\n"C\r\nC";c@x.org\r\n', 2, 'order');
    expect(all.map(({ rows, firstRow }) => ({ rows, firstRow }))).toEqual([
      { rows: 2, firstRow: 1 },
      { rows: 1, firstRow: 3 },
    ]);
    expect(texts(all)).toEqual(['name;email\n"A;1";a@x.org\n=B;b@x.org\n', 'name;email\n"C\r\nC";c@x.org\n']);
  });

  test('parts are UTF-8 for input in any encoding', async () => {
    const all = await parts(Buffer.from('\ufeffname,email\nŁ,l@x.org\n', 'utf16le'), 10, 'encoding');
    expect(texts(all)).toEqual(['name,email\nŁ,l@x.org\n']);
  });

  test('a list without a header gets one, so that no service reads an address as the header', async () => {
    expect(texts(await parts('a@x.org,A\nb@x.org,B\n', 1, 'bare'))).toEqual([
      'column_1,column_2\na@x.org,A\n',
      'column_1,column_2\nb@x.org,B\n',
    ]);
  });

  test('rows that fill the last part exactly create no empty part', async () => {
    const all = await parts('email\n'.concat('a@x.org\n'.repeat(10_000)), 5000, 'exact');
    expect(all.map(({ rows, firstRow }) => [rows, firstRow])).toEqual([
      [5000, 1],
      [5000, 5001],
    ]);
  });

  test('addresses in an array of JSON are text', async () => {
    const objects = [
      { email: ['a@x.org'], tags: ['t'] },
      { email: ['b@x.org', 'c@x.org'], tags: '["d@x.org' },
    ];
    const path = file('arrays.json', JSON.stringify(objects));
    const parts: CsvPart[] = [];
    for await (const part of splitCsv(path, 9, join(dir, 'arrays'))) parts.push(part);
    expect(readFileSync(parts[0]?.path ?? '', 'utf8')).toBe(
      'email,tags\na@x.org,"[""t""]"\n"b@x.org, c@x.org","[""d@x.org"\n',
    );
  });

  test('leaving the loop early leaves no partial file', async () => {
    const path = file('early.csv', 'email\n'.concat('a@x.org\n'.repeat(10)));
    for await (const _ of splitCsv(path, 3, join(dir, 'early'))) break;
    expect(readdirSync(join(dir, 'early'))).toEqual(['part-0001.csv']);
  });

  test('a directory that cannot be created is a storage failure', async () => {
    const path = file('blocked.csv', 'email\na@x.org\n');
    await expect(splitCsv(path, 3, join(path, 'sub')).next()).rejects.toMatchObject({ code: 'storage' });
  });
});
