import { createInflateRaw } from 'node:zlib';
import { formatNumber } from '../../../model/amount.js';
import { attribute, decodeEntities, LimitExceeded, utf8, XmlScanner } from './workbook-xml.js';

/** Rows and columns as in Excel. Cells include empty ones, and strings are those that cells share. */
const limits = { rows: 1_048_576, columns: 16_384, cells: 20_000_000, strings: 5_000_000 };
const megabyte = 1024 * 1024;
const chunkBytes = 64 * 1024;

/** Throws if there are more of them than the limit. */
function checkLimit(kind: keyof typeof limits, count: number): void {
  if (count > limits[kind]) throw new LimitExceeded(`more than ${formatNumber(limits[kind])} ${kind}`);
}

function checkBytes(megabytes: number, what: string, count: number): void {
  if (count > megabytes * megabyte) throw new LimitExceeded(`more than ${megabytes} MB ${what}`);
}

/** A sheet that is not read, and how many of its rows have an address. */
export interface UnreadSheet {
  name: string;
  rows: number;
}

interface WorkbookCsv {
  /** The visible sheets that are not read, and have addresses. */
  unread: UnreadSheet[];
  /** CSV in UTF-8. */
  csv: AsyncGenerator<Uint8Array>;
}

/** The sheet of that name, or the first visible one. Null for another archive, 'no sheet' if there is none of that name. */
export async function convertWorkbook(bytes: Uint8Array, name?: string): Promise<WorkbookCsv | 'no sheet' | null> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (!file.includes('xl/workbook.xml')) return null;
  const archive = new Archive(file);
  const { sheets, has1904Dates } = await readDirectory(archive);
  const visible = sheets.filter(({ isHidden }) => !isHidden);
  const chosen = name === undefined ? (visible[0] ?? sheets[0]) : sheets.find((sheet) => sheet.name === name);
  if (chosen === undefined && name !== undefined) return 'no sheet';
  if (chosen === undefined || !archive.has(chosen.path)) throw new Error('no sheet');
  const cells: CellSource = { strings: await readStrings(archive), isDate: await readStyles(archive), has1904Dates };
  const unread: UnreadSheet[] = [];
  // A user who names a sheet has chosen.
  for (const { name: other, path } of name === undefined ? visible : []) {
    if (path === chosen.path || !archive.has(path)) continue;
    let rows = 0;
    const scanner = createSheetScanner(cells, (_, texts) => {
      if (texts.some((text) => text.includes('@'))) rows++;
    });
    for await (const piece of archive.read(path)) scanner.push(piece);
    if (rows > 0) unread.push({ name: other, rows });
  }
  return { unread, csv: csvOf(archive.read(chosen.path), cells) };
}

/** The parts of a ZIP archive, unpacked within one limit. */
class Archive {
  readonly #parts = new Map<string, { method: number; size: number; offset: number }>();
  #unpacked = 0;

  /** Reads the central directory (APPNOTE.TXT, section 4.3.12). Its sizes are not relied on. */
  constructor(private readonly bytes: Buffer) {
    const end = bytes.lastIndexOf('PK\x05\x06', bytes.length - 22, 'latin1');
    if (end === -1) throw new Error('no end of the central directory');
    let at = bytes.readUInt32LE(end + 16);
    if (at === 0xffffffff) at = bytes.readUInt32LE(bytes.lastIndexOf('PK\x06\x06', end, 'latin1') + 48);
    while (at + 46 <= bytes.length && bytes.readUInt32LE(at) === 0x02014b50) {
      const nameEnd = at + 46 + bytes.readUInt16LE(at + 28);
      const method = bytes.readUInt16LE(at + 10);
      const name = bytes.toString('latin1', at + 46, nameEnd);
      this.#parts.set(name, { method, size: bytes.readUInt32LE(at + 20), offset: bytes.readUInt32LE(at + 42) });
      at = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    }
  }

  has(path: string): boolean {
    return this.#parts.has(path);
  }

  /** The bytes of a part, one character each; nothing if there is no such part. */
  async *read(path: string): AsyncGenerator<string> {
    const part = this.#parts.get(path);
    if (part === undefined) return;
    const { bytes } = this;
    const { method, offset } = part;
    const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
    const packed = bytes.subarray(start, start + part.size);
    if (method !== 0 && method !== 8) throw new Error(`unknown compression ${method}`);
    const pieces: AsyncIterable<Buffer> | Buffer[] =
      method === 8 ? createInflateRaw({ chunkSize: chunkBytes }).end(packed) : [packed];
    for await (const piece of pieces) {
      this.#unpacked += piece.length;
      checkBytes(512, 'unpacked', this.#unpacked);
      yield piece.toString('latin1');
    }
  }
}

async function scan(archive: Archive, path: string, onTag: ConstructorParameters<typeof XmlScanner>[0]): Promise<void> {
  const scanner = new XmlScanner(onTag);
  for await (const piece of archive.read(path)) scanner.push(piece);
}

/** The sheets in the order of their tabs. */
async function readDirectory(archive: Archive) {
  const targets = new Map<string, string>();
  await scan(archive, 'xl/_rels/workbook.xml.rels', (name, attributes) => {
    const target = attribute(attributes, 'Target').replace(/^(?:\/?xl\/)?/, 'xl/');
    if (name === 'Relationship') targets.set(attribute(attributes, 'Id'), target);
  });
  const sheets: { name: string; path: string; isHidden: boolean }[] = [];
  let has1904Dates = false;
  await scan(archive, 'xl/workbook.xml', (name, attributes) => {
    if (name === 'workbookPr') has1904Dates = /^(?:1|true)$/.test(attribute(attributes, 'date1904'));
    if (name !== 'sheet') return;
    const isHidden = !/^(?:visible)?$/.test(attribute(attributes, 'state'));
    const path = targets.get(attribute(attributes, 'id')) ?? '';
    // A chart has a tab, too.
    if (path.startsWith('xl/chartsheets/')) return;
    sheets.push({ name: Buffer.from(attribute(attributes, 'name'), 'latin1').toString(), path, isHidden });
  });
  return { sheets, has1904Dates };
}

/** For each cell style, whether its numbers are dates (ECMA-376, part 1, section 18.8.30). */
async function readStyles(archive: Archive): Promise<boolean[]> {
  const isDate: boolean[] = [];
  const codes = new Map<string, string>();
  let isInCellStyles = false;
  await scan(archive, 'xl/styles.xml', (name, attributes) => {
    if (name.endsWith('cellXfs')) isInCellStyles = name === 'cellXfs';
    if (name === 'numFmt' && !isInCellStyles)
      codes.set(attribute(attributes, 'numFmtId'), attribute(attributes, 'formatCode'));
    if (name !== 'xf' || !isInCellStyles) return;
    const id = attribute(attributes, 'numFmtId');
    const isBuiltIn = /^(?:1[4-9]|2[0-2]|2[7-9]|3[0-6]|4[5-7]|5[0-8])$/.test(id);
    // A date has letters of a date outside of quotes, escapes, colors and conditions.
    const code = codes.get(id)?.replace(/"[^"]*"|\\.|_.|\[(?![hms]+\])[^\]]*\]/gi, '');
    isDate.push(code === undefined ? isBuiltIn : /[dmhys]/i.test(code));
  });
  return isDate;
}

/** The shared strings as cells of CSV, outside of the heap. */
class StringTable {
  #bytes = Buffer.allocUnsafe(chunkBytes);
  readonly #ends: number[] = [];

  add(cell: string): void {
    const start = this.#ends.at(-1) ?? 0;
    const count = this.#ends.push(start + cell.length);
    checkLimit('strings', count);
    checkBytes(128, 'of strings', start + cell.length);
    if (start + cell.length > this.#bytes.length)
      this.#bytes = Buffer.concat([this.#bytes], Math.max(start + cell.length, 2 * this.#bytes.length));
    this.#bytes.write(cell, start, 'latin1');
  }

  get(index: number): string {
    return this.#bytes.toString('latin1', this.#ends[index - 1] ?? 0, this.#ends[index] ?? 0);
  }
}

async function readStrings(archive: Archive): Promise<StringTable> {
  const strings = new StringTable();
  const text = createTextCollector();
  await scan(archive, 'xl/sharedStrings.xml', (name, _, before) => {
    text.onTag(name, before);
    if (name === '/si') strings.add(encodeCell(text.take()));
  });
  return strings;
}

/** Joins the runs of a rich text, without its phonetic reading. */
function createTextCollector() {
  let text = '';
  let isPhonetic = false;
  return {
    onTag: (name: string, before: string): void => {
      if (name === '/t' && !isPhonetic) text += before;
      else if (name.endsWith('rPh')) isPhonetic = name === 'rPh';
    },
    take: (): string => {
      const taken = text;
      text = '';
      return taken === '' ? '' : unescapeText(taken);
    },
  };
}

/** ECMA-376 §22.9.2.19: a character that XML does not allow, such as the `_x000D_` of a line end. */
function unescapeText(text: string): string {
  const decoded = decodeEntities(text);
  if (!decoded.includes('_x')) return decoded;
  return decoded.replace(/_x([\da-f]{4})_/gi, (_, code: string) =>
    utf8(String.fromCharCode(Number.parseInt(code, 16))),
  );
}

/** Quoted as papaparse does. */
function encodeCell(text: string): string {
  return /[",\r\n]|^ | $/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

interface CellSource {
  strings: StringTable;
  isDate: readonly boolean[];
  has1904Dates: boolean;
}

/** Calls `onRow` with the number, from 1, and the cells of each row that has any, as cells of CSV. */
function createSheetScanner(
  { strings, isDate, has1904Dates }: CellSource,
  onRow: (number: number, cells: string[]) => void,
): XmlScanner {
  let row = 0;
  let column = 0;
  let rowBytes = 0;
  let cells: string[] = [];
  let cellAttributes = '';
  let value = '';
  const text = createTextCollector();
  const cellText = (): string => {
    const type = attribute(cellAttributes, 't');
    if (type === 's') return strings.get(Number(value));
    if (type === 'inlineStr') return encodeCell(text.take());
    if (type === 'b') return value === '' ? '' : /^(?:1|true)$/.test(value) ? 'TRUE' : 'FALSE';
    if (type === 'str' || type === 'e') return encodeCell(unescapeText(value));
    if (type === 'd') return encodeCell(value.replace(/T00:00:00(?:\.0+)?Z?$/, ''));
    return value !== '' && isDate[Number(attribute(cellAttributes, 's'))] === true
      ? dateText(value, has1904Dates)
      : numberText(value);
  };
  return new XmlScanner((name, attributes, before) => {
    if (name === 'c') {
      column = columnNumber(attribute(attributes, 'r')) || column + 1;
      checkLimit('columns', column);
      cellAttributes = attributes;
      value = '';
      text.take();
    } else if (name === '/v') value = before;
    else if (name === '/c') {
      const cell = cellText();
      if (cell === '') return;
      for (let empty = cells.length + 1; empty < column; empty++) cells.push('');
      cells[column - 1] = cell;
      rowBytes += cell.length;
      checkBytes(4, 'in a row', rowBytes);
    } else if (name === 'row') {
      row = Math.max(row + 1, Number(attribute(attributes, 'r')) || 0);
      checkLimit('rows', row);
      column = 0;
      rowBytes = 0;
    } else if (name === '/row') {
      if (cells.length > 0) onRow(row, cells);
      cells = [];
    } else text.onTag(name, before);
  });
}

/** A is 1, Z is 26, AA is 27; 0 for no reference. */
function columnNumber(reference: string): number {
  let number = 0;
  for (let at = 0, code = reference.charCodeAt(0); code >= 65 && code <= 90; code = reference.charCodeAt(++at))
    number = number * 26 + code - 64;
  return number;
}

/** A number as it stands in the sheet, but for its exponent and what binary fractions add to it. */
function numberText(value: string): string {
  const number = Number(value);
  return /^-?\d+$/.test(value) || !Number.isFinite(number) || value === '' ? encodeCell(value) : String(number);
}

/** The date of a number of days since 1899-12-30, or 1904-01-01. */
function dateText(value: string, has1904Dates: boolean): string {
  const days = Number(value) - (has1904Dates ? 24_107 : 25_569);
  const date = new Date(Math.round(days * 86_400_000));
  if (Number.isNaN(date.getTime())) return numberText(value);
  return date.toISOString().replace(/T00:00:00\.000Z$|\.000Z$/, '');
}

async function* csvOf(sheet: AsyncIterable<string>, source: CellSource): AsyncGenerator<Uint8Array> {
  let width = 0;
  let rows = 0;
  let cellCount = 0;
  let byteCount = 0;
  let text = '';
  /** Rows are as wide as the widest before them. */
  const add = (cells: readonly string[]): void => {
    rows++;
    width = Math.max(width, cells.length);
    cellCount += width;
    checkLimit('cells', cellCount);
    // A line without a comma or a quote would be no row.
    const isBlank = width <= 1 && cells.length === 0;
    const line = isBlank ? '""' : cells.join() + ','.repeat(width - Math.max(1, cells.length));
    byteCount += line.length;
    checkBytes(512, 'of cells', byteCount);
    text += `${line}\n`;
    // Short cells may share a long string.
    checkBytes(32, 'in a few rows', text.length);
  };
  const scanner = createSheetScanner(source, (number, cells) => {
    while (rows < number - 1) add([]);
    add(cells);
  });
  for await (const piece of sheet) {
    scanner.push(piece);
    if (text.length < chunkBytes) continue;
    yield Buffer.from(text, 'latin1');
    text = '';
  }
  yield Buffer.from(text, 'latin1');
}
