import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { type OpenRowsOptions, openRows } from '../../src/rows/open-rows.js';
import { convertWorkbook } from '../../src/rows/read/decode/workbook-csv.js';
import { workbookBytes } from '../../src/rows/write/write-workbook.js';
import { runCli } from '../cli/run-cli.js';
import { textCell, workbookOf } from '../fakes/archives.js';

const folder = mkdtempSync(join(tmpdir(), 'mailvet-xlsx-'));

/** A workbook as Excel writes it: shared strings, a formula with its value, a date by its style, a second sheet. */
function workbook(): Uint8Array {
  const xml = (text: string) => strToU8(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>${text}`);
  const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const strings = ['Name', 'Email', 'Tel', 'Since', 'Äda "A"', 'ada@python.org', 'bob@python.org'];
  const cell = (ref: string, index: number) => `<c r="${ref}" t="s"><v>${index}</v></c>`;
  const sheet = (rows: string) => xml(`<worksheet ${main}><sheetData>${rows}</sheetData></worksheet>`);
  return zipSync({
    '[Content_Types].xml': xml(
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
    ),
    'xl/workbook.xml': xml(
      `<workbook ${main} xmlns:r="${relations}"><sheets><sheet name="People" sheetId="1" r:id="rId1"/><sheet name="Old" sheetId="2" r:id="rId2"/></sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': xml(
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${[1, 2].map((id) => `<Relationship Id="rId${id}" Type="${relations}/worksheet" Target="worksheets/sheet${id}.xml"/>`).join('')}<Relationship Id="rId3" Type="${relations}/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="rId4" Type="${relations}/styles" Target="styles.xml"/></Relationships>`,
    ),
    'xl/sharedStrings.xml': xml(`<sst ${main}>${strings.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`),
    'xl/styles.xml': xml(
      `<styleSheet ${main}><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    ),
    'xl/worksheets/sheet1.xml': sheet(
      `<row r="1">${['A1', 'B1', 'C1', 'D1'].map((ref, at) => cell(ref, at)).join('')}</row>` +
        `<row r="2">${cell('A2', 4)}${cell('B2', 5)}<c r="C2"><v>15551234567</v></c><c r="D2" s="1"><v>45293</v></c></row>` +
        `<row r="3"><c r="A3" t="str"><f>UPPER("bob")</f><v>BOB</v></c>${cell('B3', 6)}<c r="C3" t="b"><v>1</v></c></row>`,
    ),
    'xl/worksheets/sheet2.xml': sheet(`<row r="1">${cell('A1', 1)}</row><row r="2">${cell('A2', 6)}</row>`),
  });
}

function put(name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

async function read(path: string, options: OpenRowsOptions = {}): Promise<(readonly string[])[]> {
  const source = await openRows({ path }, options);
  const rows: (readonly string[])[] = [source.columns];
  for await (const chunk of source.chunks) rows.push(...chunk.map(({ cells }) => cells));
  return rows;
}

describe('a workbook', () => {
  test('of LibreOffice is read cell by cell, and keeps an empty row in its place', async () => {
    const path = new URL('../fixtures/exports-of-other-programs/libreoffice-7.4.xlsx', import.meta.url);
    expect(await read(fileURLToPath(path))).toEqual([
      ['Name', 'Email', 'Phone', 'Joined', 'Score', 'Note'],
      ['Ada', 'ada@python.org', '+1 (555) 123-4567', '2026-01-02', '3.5', 'two\nlines'],
      ['Müller, Jörg', 'joerg@müller.example', '0049 123', '2025-12-31', '0.1', 'say "hi"'],
      ['', '', '', '', '', ''],
      // The last cell is the formula =1+1.
      ['李雷', 'lilei@example.cn', '-', '2024-02-29', '10000000000', '2'],
    ]);
  });

  test('is read with formulas, dates and numbers as text', async () => {
    expect(await read(put('people.xlsx', workbook()))).toEqual([
      ['Name', 'Email', 'Tel', 'Since'],
      ['Äda "A"', 'ada@python.org', '15551234567', '2024-01-02'],
      ['BOB', 'bob@python.org', 'TRUE', ''],
    ]);
  });

  test('is recognized by its first bytes under any name', async () => {
    expect(await read(put('people.csv', workbook()))).toHaveLength(3);
  });

  test('has a sheet that can be chosen by name', async () => {
    expect(await read(put('people.xlsx', workbook()), { sheet: 'Old' })).toEqual([['Email'], ['bob@python.org']]);
    await expect(read(put('people.xlsx', workbook()), { sheet: 'New' })).rejects.toMatchObject({ code: 'usage' });
    const message = expect.stringMatching(/^There is no sheet "Old" in .*people\.csv.*: it is no Excel workbook\.$/);
    const csv = read(put('people.csv', Buffer.from('email\nada@python.org\n')), { sheet: 'Old' });
    await expect(csv).rejects.toMatchObject({ code: 'usage', message });
  });

  test('is read with errors as they are shown, and a warning names other sheets with addresses', async () => {
    const path = fileURLToPath(
      new URL('../fixtures/exports-of-other-programs/libreoffice-7.4-errors.xlsx', import.meta.url),
    );
    expect(await read(path)).toEqual([
      ['Email', 'Plan', 'Ratio'],
      ['ada@python.org', '#N/A', '#DIV/0!'],
      ['#N/A', 'pro', '#NAME?'],
    ]);
    const { out, err } = await runCli(['bulk', path, '--quiet', '--format', 'csv'], { tty: false });
    expect(out.split('\n')[2]).toBe('#N/A,pro,#NAME?,empty,,,,');
    // The third sheet has text only.
    expect(err).toBe(
      'warning: A sheet that was not read has addresses, too: "Old" (2 rows). --sheet "Old" reads it.\n',
    );
    const chosen = await runCli(['bulk', path, '--quiet', '--format', 'csv', '--sheet', 'People & Co'], { tty: false });
    expect(chosen).toMatchObject({ status: 0, err: '' });
  });

  test('that was stored as CSV has its warnings', async () => {
    const path = put('stored', Buffer.from('email\nada@python.org\n'));
    const list = await openRows(
      { path },
      {
        column: 'email',
        filename: 'people.xlsx',
        warnings: ['A sheet was not read.'],
      },
    );
    expect(list.warnings()).toEqual(['A sheet was not read.']);
    await list.close();
  });

  const header = ['id', 'name', 'email'];
  const ada = ['1', 'Ada', 'ada@python.org'];
  const bob = ['2', 'Bob', 'bob@python.org', 'VIP'];
  const padded = [...ada, ''];
  const many = (cells: string[]): string[][] => Array.from({ length: 100 }, () => cells);

  test.each([
    ['a title', [['Title'], header, ada, bob], [header, ada, bob]],
    ['a blank first row', [[], header, ada, bob], [header, ada, bob]],
    [
      'a long row in the middle',
      [['Title'], header, ...many(ada), bob, ...many(ada)],
      [header, ...many(ada), bob, ...many(padded)],
    ],
    ['a title like JSON', [['[2026] list'], header, ada, bob], [header, ada, bob]],
    ['a title like a hint at the delimiter', [['sep=;'], header, ada, bob], [header, ada, bob]],
    ['a title like the header of a mail', [['From: Ada'], header, ada, bob], [header, ada, bob]],
    [
      'more semicolons than commas',
      [['A'], ['a;b;c', 'email'], ['1;2;3', 'a@x.org', 'VIP']],
      [
        ['a;b;c', 'email'],
        ['1;2;3', 'a@x.org', 'VIP'],
      ],
    ],
    ['one column under a blank row', [[], ['email'], ['a@x.org'], ['b@x.org']], [['email'], ['a@x.org'], ['b@x.org']]],
    ['one column with any heading', [['Contact'], ['a@x.org'], ['b@x.org']], [['Contact'], ['a@x.org'], ['b@x.org']]],
    [
      'one column of addresses with names',
      [['Doe, Ada &lt;a@x.org>'], ['b@x.org']],
      [['email'], ['a@x.org'], ['b@x.org']],
    ],
  ])('is a table, whatever it holds: %s', async (_name, rows, wanted) => {
    const row = (cells: string[], index: number): string =>
      `<row r="${index + 1}">${cells.map((cell, at) => textCell(`${'ABCD'[at]}${index + 1}`, cell)).join('')}</row>`;
    const book = workbookOf(rows.map(row).join(''));
    expect(await read(put('rows.xlsx', book))).toEqual(wanted);
    // An upload stores its CSV.
    const csv = await buffer(((await convertWorkbook(book)) as { csv: AsyncIterable<Uint8Array> }).csv);
    expect(await read(put('stored', csv), { filename: 'rows.xlsx', warnings: [] })).toEqual(wanted);
  });

  test('that bulk wrote of a list with a title and a long row is read back', async () => {
    const list = put('titled.csv', Buffer.from('Title\nid,email\n1,ada@python.org\n2,bob@python.org,VIP\n'));
    const output = join(folder, 'titled.xlsx');
    await runCli(['bulk', list, '-o', output, '--level', 'syntax'], { tty: false });
    expect((await read(output)).map((cells) => cells.slice(0, 3))).toEqual([
      ['id', 'email', 'mailvet_status'],
      ['1', 'ada@python.org', 'valid'],
      ['2', 'bob@python.org', 'valid'],
    ]);
  });

  test('over a limit is refused by its name', async () => {
    const far = workbookOf(`<row r="2">${textCell('ZZZZZZ2', 'x')}</row>`);
    const message = expect.stringMatching(/^The workbook ".*far\.xlsx" holds more than 16,384 columns\.$/);
    await expect(read(put('far.xlsx', far))).rejects.toMatchObject({ code: 'too_large', message });
  });

  test('names other sheets once, also with inline strings, and not hidden ones', async () => {
    const sheet = (cells: string): Uint8Array => strToU8(`<worksheet><sheetData>${cells}</sheetData></worksheet>`);
    const inline = '<row r="1"><c r="A1" t="inlineStr"><is><t>a@x.org</t></is></c></row>';
    const archive = zipSync({
      'xl/workbook.xml': strToU8(
        '<workbook><sheets><sheet name="A" r:id="r1"/><sheet name="B" r:id="r2"/><sheet name="C" state="hidden" r:id="r3"/></sheets></workbook>',
      ),
      'xl/_rels/workbook.xml.rels': strToU8(
        '<Relationships><Relationship Id="r1" Target="worksheets/a.xml"/><Relationship Id="r2" Target="/xl/worksheets/b.xml"/><Relationship Id="r3" Target="worksheets/c.xml"/></Relationships>',
      ),
      'xl/worksheets/a.xml': sheet(''),
      'xl/worksheets/b.xml': sheet(inline),
      'xl/worksheets/c.xml': sheet(inline),
    });
    expect(await convertWorkbook(archive)).toMatchObject({ unread: [{ name: 'B', rows: 1 }] });
    expect(await convertWorkbook(archive, 'B')).toMatchObject({ unread: [] });
  });

  test('is written by bulk, and read back unchanged', async () => {
    const list = put('list.csv', Buffer.from('email;a;b\na@x.org;"x;""y""";=1+1\na@x.org;"two\nlines";007\n'));
    const output = join(folder, 'written.xlsx');
    expect((await runCli(['bulk', list, '-o', output], { tty: false })).status).toBe(0);
    expect((await read(output)).map((cells) => cells.slice(0, 3))).toEqual([
      ['email', 'a', 'b'],
      ['a@x.org', 'x;"y"', '=1+1'],
      ['a@x.org', 'two\nlines', '007'],
    ]);
  });

  test('in and out of bulk keeps every cell, and diff reads it', async () => {
    const output = join(folder, 'vetted.xlsx');
    expect((await runCli(['bulk', put('people.xlsx', workbook()), '-o', output], { tty: false })).status).toBe(0);
    const [header = [], ...rows] = await read(output);
    expect(header.slice(3, 6)).toEqual(['Since', 'mailvet_status', 'mailvet_sub_status']);
    expect(rows.map((cells) => [cells[0], cells[3], cells[4]])).toEqual([
      ['Äda "A"', '2024-01-02', 'valid'],
      ['BOB', '', 'valid'],
    ]);
    expect((await runCli(['diff', output, output], { tty: false })).out.match(/"change":"same"/g)).toHaveLength(2);
  });

  test('has a cell for each of --fields, whatever the delimiter of the list', async () => {
    const list = put('fields.csv', Buffer.from('name;email\nA;a@x.org\n'));
    const output = join(folder, 'fields.xlsx');
    await runCli(['bulk', list, '-o', output, '--fields', 'email,status'], { tty: false });
    expect(await read(output)).toEqual([
      ['email', 'status'],
      ['a@x.org', 'valid'],
    ]);
  });

  test('is not shown on a terminal', async () => {
    const path = put('people.xlsx', workbook());
    expect((await runCli(['bulk', path, '--format', 'xlsx'])).status).toBe(2);
  });
});

test('an output that ends with .gz is compressed, and read again', async () => {
  const output = join(folder, 'vetted.csv.gz');
  const list = put('list.csv', Buffer.from('email\na@x.org\nb@x.org\n'));
  expect((await runCli(['bulk', list, '-o', output], { tty: false })).status).toBe(0);
  expect(readFileSync(output).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
  expect((await read(output)).map(([email]) => email)).toEqual(['email', 'a@x.org', 'b@x.org']);
});

test.each([
  ['one email column', [], ['mailvet_confidence']],
  ['several email columns', ['--column', 'email,work'], ['email_mailvet_confidence', 'work_mailvet_confidence']],
])('a column of the list that is named like ours stays text: %s', async (_name, args, confidences) => {
  const list = put(
    'named.csv',
    Buffer.from('email,work,my_mailvet_confidence\na@x.org,b@x.org,00123\nc@x.org,d@x.org,12345678901234567890\n'),
  );
  const output = join(folder, 'named.xlsx');
  await runCli(['bulk', list, ...args, '--level', 'syntax', '-o', output], { tty: false });
  const [head = [], ...rows] = await read(output);
  expect(rows.map((cells) => cells[2])).toEqual(['00123', '12345678901234567890']);
  const xml = strFromU8(unzipSync(readFileSync(output))['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
  const letters = new Set([...xml.matchAll(/<c r="([A-Z])\d+"><v>/g)].map(([, letter]) => letter));
  expect([...letters]).toEqual(confidences.map((name) => String.fromCharCode(65 + head.indexOf(name))));
});

describe('a streamed workbook', () => {
  const stream = ([head = [], ...batches]: string[][][], maxRows?: number): Promise<Buffer> =>
    buffer(workbookBytes(head, batches, maxRows === undefined ? {} : { maxRows }));

  test('is read back unchanged: XML characters, formulas, line ends, wide rows', async () => {
    const rows = [
      ['email', 'note', 'more'],
      ['ada@python.org', '<b>&amp; "ü" 😀', '=1+1'],
      ['bob@python.org', 'two\nlines', ' spaces '],
      ['eve@python.org', 'a\u0001b', '_x0041_'],
    ];
    const wide = Array.from({ length: 800 }, (_, column) => (column === 0 ? 'email' : `c${column}`));
    const address = wide.map((name) => (name === 'email' ? 'ada@python.org' : name));
    expect(await read(put('streamed.xlsx', await stream([rows.slice(0, 1), rows.slice(1)])))).toEqual(rows);
    expect(await read(put('wide.xlsx', await stream([[wide], [address]])))).toEqual([wide, address]);
  });

  test('has our confidence as a number, and all else as text', async () => {
    const head = ['email', 'id', 'my_mailvet_confidence', 'work_mailvet_confidence', 'mailvet_confidence'];
    const rows = [
      ['a@x.org', '007', '00123', '0.97', ''],
      ['b@x.org', '1', '0.5', '1', 'n/a'],
    ];
    const addedColumns = ['work_mailvet_status', 'work_mailvet_confidence', 'mailvet_confidence'];
    const book = await buffer(workbookBytes([head], [rows], { addedColumns }));
    const xml = strFromU8(unzipSync(book)['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
    expect(xml.match(/<v>[^<]*<\/v>/g)).toEqual(['<v>0.97</v>', '<v>1</v>']);
    expect(await read(put('numbers.xlsx', book))).toEqual([head, ...rows]);
  });

  test('contains no character that XML forbids, and no cell that is too long for a sheet', async () => {
    const bytes = await stream([[['email'], ['a\u0001b\ud800_x0041_'], ['x'.repeat(40_000)]]]);
    const files = unzipSync(bytes);
    const sheet = strFromU8(files['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
    expect(sheet).toContain('>a_x0001_b_xD800__x005F_x0041_<');
    const [, long] = />(x{1000,}[^<]*)</.exec(sheet) ?? [];
    expect(long).toHaveLength(32_767);
    expect(long).toMatch(/x … \(truncated\)$/);
    expect(Object.keys(files)).toHaveLength(5);
  });

  test('continues a full sheet in another one, with the header', async () => {
    const rows = Array.from({ length: 5 }, (_, index) => [`a${index}@python.org`]);
    const path = put('sheets.xlsx', await stream([[['email']], rows.slice(0, 3), rows.slice(3)], 3));
    expect(await read(path)).toEqual([['email'], ...rows.slice(0, 2)]);
    expect(await read(path, { sheet: 'Sheet2' })).toEqual([['email'], ...rows.slice(2, 4)]);
    expect(await read(path, { sheet: 'Sheet3' })).toEqual([['email'], ...rows.slice(4)]);
  });

  test('fails if its rows fail', async () => {
    async function* records() {
      yield [['email']];
      throw new Error('the file is gone');
    }
    await expect(buffer(workbookBytes([], records()))).rejects.toThrow('the file is gone');
  });
});
