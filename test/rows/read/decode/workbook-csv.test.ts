import { buffer } from 'node:stream/consumers';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { convertWorkbook } from '../../../../src/rows/read/decode/workbook-csv.js';
import { textCell, workbookOf } from '../../../fakes/archives.js';

async function csvOf(archive: Uint8Array, sheet?: string): Promise<string> {
  const workbook = await convertWorkbook(archive, sheet);
  if (workbook === null || workbook === 'no sheet') return String(workbook);
  return (await buffer(workbook.csv)).toString();
}

const header = `<row r="1">${textCell('A1', 'email')}</row>`;
const shared = (index: number): string => `<c t="s"><v>${index}</v></c>`;

describe('limits are checked before a cell is made', () => {
  test.each([
    ['more than 16,384 columns', () => workbookOf(`<row r="2">${textCell('ZZZZZZ2', 'x')}</row>`)],
    ['more than 16,384 columns', () => workbookOf({ unit: '<c/>'.repeat(1000), times: 17 })],
    ['more than 1,048,576 rows', () => workbookOf(`${header}<row r="1048577"></row>`)],
    ['more than 1,048,576 rows', () => workbookOf({ unit: '<row/>'.repeat(1000), times: 1049 })],
    [
      'more than 20,000,000 cells',
      () => workbookOf(`<row>${textCell('XFD1', 'x')}</row><row r="1300">${textCell('A1300', 'x')}</row>`),
    ],
    ['more than 1 MB in a cell', () => workbookOf(['<row><c t="str"><v>', { unit: 'a'.repeat(1e6), times: 2 }])],
    ['more than 1 MB in a cell', () => workbookOf(['<row ', { unit: 'a'.repeat(1e6), times: 2 }])],
    [
      'more than 4 MB in a row',
      () => workbookOf(`<row>${shared(0).repeat(5)}</row>`, { strings: `<si><t>${'a'.repeat(1e6)}</t></si>` }),
    ],
    [
      'more than 32 MB in a few rows',
      () => workbookOf(`<row>${shared(0)}</row>`.repeat(40), { strings: `<si><t>${'a'.repeat(1e6)}</t></si>` }),
    ],
    [
      'more than 5,000,000 strings',
      () => workbookOf(header, { strings: { unit: '<si/>'.repeat(10_000), times: 501 } }),
    ],
    [
      'more than 128 MB of strings',
      () => workbookOf(header, { strings: { unit: `<si><t>${'a'.repeat(1e5)}</t></si>`, times: 1_400 } }),
    ],
    ['more than 512 MB unpacked', () => workbookOf({ unit: `<a ${'a'.repeat(1e4)}/>`.repeat(100), times: 540 })],
  ])('%s', (limit, book) => expect(csvOf(book())).rejects.toThrow(limit));

  test('a cell far below and to the right of a list costs what it is', async () => {
    const csv = await csvOf(workbookOf(`${header}<row r="1048576">${textCell('XFD1048576', 'x')}</row>`));
    expect(csv.split('\n')).toHaveLength(1_048_577);
    expect(csv.length).toBeLessThan(3.3e6);
  });
});

describe('cells', () => {
  const styles =
    '<numFmts><numFmt numFmtId="170" formatCode="[$-409]d/m/yyyy"/><numFmt numFmtId="171" formatCode="0.0&quot; dm&quot;"/></numFmts>' +
    '<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="171"/><xf numFmtId="46"/></cellXfs>';
  test.each([
    ['a date', '<c s="1"><v>45293</v></c>', '2024-01-02'],
    ['a date with a time', '<c s="2"><v>45353.524259259261</v></c>', '2024-03-02T12:34:56'],
    ['a date as text', '<c t="d"><v>2024-01-02T00:00:00</v></c>', '2024-01-02'],
    ['a number in a format with quoted letters', '<c s="3"><v>1.5</v></c>', '1.5'],
    ['a number out of the range of dates', '<c s="1"><v>1e15</v></c>', '1000000000000000'],
    ['a binary fraction', '<c><v>1.1000000000000001</v></c>', '1.1'],
    ['an exponent', '<c><v>1.5551234567E10</v></c>', '15551234567'],
    ['a long number', '<c><v>12345678901234567890</v></c>', '12345678901234567890'],
    ['a boolean', '<c t="b"><v>1</v></c>', 'TRUE'],
    ['an error', '<c t="e"><v>#N/A</v></c>', '#N/A'],
    ['the result of a formula', '<c t="str"><f>A1&amp;"&gt;"</f><v>a&gt;b</v></c>', 'a>b'],
    ['a rich text without its reading', shared(0), 'Müller 東京'],
    ['a missing string', shared(9), ''],
    ['a string before the first', shared(-1), ''],
    ['a text with quotes, and a line end', textCell('A1', 'say "hi"_x000D_&#10;'), '"say ""hi""\r\n"'],
    ['an escaped escape', textCell('A1', '_x005F_x0041_'), '_x0041_'],
    ['a character by its number', textCell('A1', '&#x1F600;&#252;'), '😀ü'],
    ['CDATA and a comment', textCell('A1', '<![CDATA[a<b&amp;]]><!-- <t> -->c'), 'a<b&amp;c'],
    ['a prefix', '<x:c t="inlineStr"><x:is><x:t>a</x:t></x:is></x:c>', 'a'],
  ])('%s', async (_name, cell, text) => {
    const strings = '<si><r><t>Müller </t></r><r><t>東京</t></r><rPh><t>トウキョウ</t></rPh></si>';
    expect(
      await csvOf(workbookOf(`<row>${textCell('A1', 'x')}${cell.replace('A1', 'B1')}</row>`, { strings, styles })),
    ).toBe(text === '' ? 'x\n' : `x,${text}\n`);
  });

  test('are the same wherever the pieces of the sheet end', async () => {
    const rows = Array.from(
      { length: 3_000 },
      (_, row) => `<row>${textCell('A1', `ü${row}`)}${textCell('B1', '東&amp;京')}</row>`,
    );
    expect(await csvOf(workbookOf(rows.join('')))).toBe(rows.map((_, row) => `ü${row},東&京\n`).join(''));
  });

  test('rows are as wide as the widest before them, and gaps are kept', async () => {
    const rows = `<row r="1">${textCell('A1', 'Report')}</row><row r="3">${textCell('C3', 'email')}</row><row r="4"><c r="Z4" s="1"/></row>`;
    expect(await csvOf(workbookOf(rows))).toBe('Report\n""\n,,email\n');
  });
});

describe('archives', () => {
  test('other ones, and damaged workbooks', async () => {
    expect(await convertWorkbook(zipSync({ a: strToU8('b') }))).toBeNull();
    const book = workbookOf(header);
    await expect(csvOf(book.subarray(0, 300))).rejects.toThrow();
    await expect(csvOf(Buffer.from(book).fill(0xff, 200, 260))).rejects.toThrow();
    expect(await csvOf(Buffer.concat([book, Buffer.from('PK\x05\x06')]))).toBe('email\n');
  });

  test('the first sheet that is not hidden is read', async () => {
    const sheet = (text: string) =>
      strToU8(`<worksheet><sheetData><row>${textCell('A1', text)}</row></sheetData></worksheet>`);
    const book = zipSync({
      'xl/workbook.xml': strToU8(
        '<workbook><sheets><sheet name="L" state="hidden" r:id="a"/><sheet name="Ü" r:id="b"/></sheets></workbook>',
      ),
      'xl/_rels/workbook.xml.rels': strToU8(
        '<Relationships><Relationship Id="a" Target="/xl/a.xml"/><Relationship Id="b" Target="b.xml"/></Relationships>',
      ),
      'xl/a.xml': sheet('hidden'),
      'xl/b.xml': sheet('shown'),
    });
    expect([await csvOf(book), await csvOf(book, 'L'), await csvOf(book, 'Ü')]).toEqual([
      'shown\n',
      'hidden\n',
      'shown\n',
    ]);
    expect(await convertWorkbook(book, 'X')).toBe('no sheet');
  });
});
