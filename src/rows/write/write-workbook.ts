import { buffer } from 'node:stream/consumers';
import Papa from 'papaparse';
import { Failure } from '../../model/failure.js';

/** The limits of a sheet in Excel. */
export const sheetLimits = { rows: 1_048_576, columns: 16_384, cellChars: 32_767 };

const relationships = 'http://schemas.openxmlformats.org/package/2006/relationships';
const document = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const content = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const spreadsheet = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const xmlHead = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** ECMA-376: the parts of a workbook apart from its sheet. */
const fixedParts: readonly [name: string, xml: string][] = [
  [
    '[Content_Types].xml',
    `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${content}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${content}.worksheet+xml"/></Types>`,
  ],
  [
    '_rels/.rels',
    `<Relationships xmlns="${relationships}"><Relationship Id="rId1" Type="${document}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  ],
  [
    'xl/_rels/workbook.xml.rels',
    `<Relationships xmlns="${relationships}"><Relationship Id="rId1" Type="${document}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
  ],
  [
    'xl/workbook.xml',
    `<workbook xmlns="${spreadsheet}" xmlns:r="${document}"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  ],
];

/** The parts of a ZIP archive without ZIP64 extensions are smaller than 4 GB. */
const maxSheetBytes = 0xffff_ffff;

/** The bytes of a workbook (xlsx) with one sheet, in constant memory. Every cell is text, so none is run as a formula. */
export async function* workbookBytes(
  records: AsyncIterable<readonly (readonly string[])[]>,
): AsyncGenerator<Uint8Array, void> {
  const fflate = await import('fflate');
  const pieces: Uint8Array[] = [];
  const archive = new fflate.Zip((error, piece) => {
    if (error) throw error;
    pieces.push(piece);
  });
  const addPart = (name: string) => {
    const part = new fflate.ZipDeflate(name);
    // The same rows make the same bytes.
    part.mtime = new Date(1980, 0, 1);
    archive.add(part);
    return part;
  };
  for (const [name, xml] of fixedParts) addPart(name).push(Buffer.from(xmlHead + xml), true);
  const sheet = addPart('xl/worksheets/sheet1.xml');
  let size = 0;
  for await (const xml of sheetXml(records)) {
    size += xml.length;
    if (size > maxSheetBytes)
      throw new Failure('too_large', 'A workbook larger than 4 GB is not written.', { hint: 'Use CSV.' });
    sheet.push(xml);
    yield* pieces.splice(0);
  }
  sheet.push(new Uint8Array(), true);
  archive.end();
  yield* pieces;
}

/** A workbook with the records of a CSV. */
export async function encodeWorkbook(csv: string, delimiter: string): Promise<Uint8Array> {
  const { data } = Papa.parse<string[]>(csv, { delimiter, skipEmptyLines: true });
  async function* records() {
    for (let start = 0; start < data.length; start += 1000) yield data.slice(start, start + 1000);
  }
  return buffer(workbookBytes(records()));
}

async function* sheetXml(records: AsyncIterable<readonly (readonly string[])[]>): AsyncGenerator<Buffer> {
  yield Buffer.from(`${xmlHead}<worksheet xmlns="${spreadsheet}"><sheetData>`);
  let number = 0;
  for await (const batch of records) {
    let text = '';
    for (const cells of batch) text += rowXml(++number, cells);
    if (text !== '') yield Buffer.from(text);
  }
  yield Buffer.from('</sheetData></worksheet>');
}

function rowXml(number: number, cells: readonly string[]): string {
  let text = `<row r="${number}">`;
  for (const [column, cell] of cells.entries()) {
    if (cell === '') continue;
    const reference = `${columnName(column)}${number}`;
    text += `<c r="${reference}" t="inlineStr"><is><t xml:space="preserve">${cellText(cell)}</t></is></c>`;
  }
  return `${text}</row>`;
}

/** A, B … Z, AA … from 0 on. */
function columnName(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter;
}

const special = /[&<>\u0000-\u0008\u000b\u000c\u000d\u000e-\u001f\ufffe\uffff]|\p{Surrogate}|_(?=x[0-9a-fA-F]{4}_)/gu;

const truncated = ' … (truncated)';

/** ECMA-376 §22.9.2.19: characters that XML does not allow are written as `_xHHHH_`. */
function cellText(cell: string): string {
  const { cellChars } = sheetLimits;
  const text = cell.length <= cellChars ? cell : cell.slice(0, cellChars - truncated.length) + truncated;
  return text.replace(special, (sign) => {
    if (sign === '&') return '&amp;';
    if (sign === '<') return '&lt;';
    if (sign === '>') return '&gt;';
    return `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
  });
}
