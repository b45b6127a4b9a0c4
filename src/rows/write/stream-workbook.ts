import { pipeline, Readable } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';

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

/** The bytes of a workbook (xlsx) with one sheet, in constant memory. Every cell is text, so none is run as a formula. */
export async function* workbookBytes(
  records: AsyncIterable<readonly (readonly string[])[]>,
): AsyncGenerator<Buffer, void> {
  const archive = new ZipArchive();
  for (const [name, xml] of fixedParts) yield archive.add(name, Buffer.from(xmlHead + xml));
  yield* archive.addDeflated('xl/worksheets/sheet1.xml', sheetXml(records));
  yield archive.end();
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

/** ECMA-376 §22.9.2.19: characters that XML does not allow are written as `_xHHHH_`. */
function cellText(cell: string): string {
  return cell.slice(0, sheetLimits.cellChars).replace(special, (sign) => {
    if (sign === '&') return '&amp;';
    if (sign === '<') return '&lt;';
    if (sign === '>') return '&gt;';
    return `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
  });
}

const stored = 0;
const deflated = 8;
/** The sizes follow the data, and names are UTF-8 (APPNOTE 4.4.4). */
const sizesFollow = 0x0008;
const utf8Names = 0x0800;
/** 1 January 1980: the same rows give the same bytes. */
const date = 0x0021;

interface ZipEntry {
  name: string;
  method: number;
  flags: number;
  crc: number;
  size: number;
  packedSize: number;
  offset: number;
}

/** Writes a ZIP archive (APPNOTE.TXT) below 4 GB as a stream. */
class ZipArchive {
  private readonly entries: ZipEntry[] = [];
  private offset = 0;

  add(name: string, data: Buffer): Buffer {
    const sizes = { crc: crc32(data), size: data.length, packedSize: data.length };
    const entry = { name, method: stored, flags: utf8Names, ...sizes, offset: this.offset };
    this.entries.push(entry);
    return this.count(Buffer.concat([localHeader(entry), data]));
  }

  async *addDeflated(name: string, pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const sizes = { crc: 0, size: 0, packedSize: 0 };
    const entry = { name, method: deflated, flags: utf8Names | sizesFollow, ...sizes, offset: this.offset };
    this.entries.push(entry);
    yield this.count(localHeader(entry));
    async function* counted(): AsyncGenerator<Buffer> {
      for await (const piece of pieces) {
        entry.crc = crc32(piece, entry.crc);
        entry.size += piece.length;
        yield piece;
      }
    }
    const deflate = createDeflateRaw();
    // A failure of the pieces is thrown by the loop.
    pipeline(Readable.from(counted()), deflate, () => {});
    for await (const piece of deflate as AsyncIterable<Buffer>) {
      entry.packedSize += piece.length;
      yield this.count(piece);
    }
    yield this.count(fields([0x08074b50, 4], [entry.crc, 4], [entry.packedSize, 4], [entry.size, 4]));
  }

  /** The central directory. */
  end(): Buffer {
    const start = this.offset;
    const directory = this.entries.map((entry) =>
      Buffer.concat([
        fields([0x02014b50, 4], [20, 2], ...commonFields(entry), [0, 2], [0, 2], [0, 2], [0, 4], [entry.offset, 4]),
        Buffer.from(entry.name),
      ]),
    );
    const bytes = this.count(Buffer.concat(directory));
    const count = this.entries.length;
    const end = fields([0x06054b50, 4], [0, 2], [0, 2], [count, 2], [count, 2], [bytes.length, 4], [start, 4], [0, 2]);
    return Buffer.concat([bytes, end]);
  }

  private count(bytes: Buffer): Buffer {
    this.offset += bytes.length;
    return bytes;
  }
}

type Field = readonly [value: number, bytes: 2 | 4];

function localHeader(entry: ZipEntry): Buffer {
  return Buffer.concat([fields([0x04034b50, 4], ...commonFields(entry)), Buffer.from(entry.name)]);
}

/** Version, flags, method, time, checksum, sizes and the lengths of name and extra field. */
function commonFields({ name, flags, method, crc, packedSize, size }: ZipEntry): Field[] {
  const sizes: Field[] = [
    [crc, 4],
    [packedSize, 4],
    [size, 4],
  ];
  return [[20, 2], [flags, 2], [method, 2], [0, 2], [date, 2], ...sizes, [Buffer.byteLength(name), 2], [0, 2]];
}

function fields(...values: readonly Field[]): Buffer {
  const bytes = Buffer.alloc(values.reduce((length, [, size]) => length + size, 0));
  let at = 0;
  for (const [value, size] of values) at = bytes.writeUIntLE(value, at, size);
  return bytes;
}
