import { buffer } from 'node:stream/consumers';
import type { ZipDeflate } from 'fflate';
import Papa from 'papaparse';

/** The limits of Excel. */
const sheetLimits = { rows: 1_048_576, columns: 16_384, cellChars: 32_767 };
/** A part of a ZIP archive without ZIP64 extensions is smaller than 4 GB. */
const maxSheetChars = 1_000_000_000;

const relationships = 'http://schemas.openxmlformats.org/package/2006/relationships';
const document = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const content = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const spreadsheet = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const xmlHead = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

type Records = readonly (readonly string[])[];

interface WorkbookOptions {
  /** The names of the columns that mailvet adds to those of the list. */
  addedColumns?: readonly string[];
  maxRows?: number;
}

/**
 * The bytes of a workbook (xlsx) with the rows of all batches, in constant memory. Our confidence is a number, and other cells are
 * text, which is never run as a formula. A full sheet is continued in another one with the same head.
 */
export async function* workbookBytes(
  head: Records,
  batches: AsyncIterable<Records> | Iterable<Records>,
  { addedColumns = [], maxRows = sheetLimits.rows }: WorkbookOptions = {},
): AsyncGenerator<Uint8Array, void> {
  const fflate = await import('fflate');
  const pieces: Uint8Array[] = [];
  const archive = new fflate.Zip((error, piece) => {
    if (error) throw error;
    pieces.push(piece);
  });
  const addPart = (name: string): ZipDeflate => {
    const part = new fflate.ZipDeflate(name);
    // The same rows make the same bytes.
    part.mtime = new Date(1980, 0, 1);
    archive.add(part);
    return part;
  };
  const addXml = ([name, xml]: BookPart) => addPart(name).push(Buffer.from(xmlHead + xml), true);
  // Programs recognize a workbook by its first part.
  for (const part of firstParts) addXml(part);
  const numberNames = new Set(addedColumns.filter((name) => name.endsWith(numberName)));
  const sheetNumbers = [1];
  let sheet = new Sheet(addPart(sheetPath(1)), head, numberNames);
  for await (const rows of batches) {
    for (const cells of rows) {
      if (sheet.isFull(maxRows)) {
        sheet.end();
        const number = sheetNumbers.push(sheetNumbers.length + 1);
        sheet = new Sheet(addPart(sheetPath(number)), head, numberNames);
      }
      sheet.add(cells);
    }
    sheet.flush();
    yield* pieces.splice(0);
  }
  sheet.end();
  for (const part of sheetDirectory(sheetNumbers)) addXml(part);
  archive.end();
  yield* pieces;
}

/** A workbook with the records of a CSV, which is cut between records. */
export function encodeWorkbook(
  head: Uint8Array,
  batches: Iterable<Uint8Array>,
  { delimiter, ...options }: WorkbookOptions & { delimiter: string },
): Promise<Buffer> {
  const parse = (text: Uint8Array): string[][] =>
    Papa.parse<string[]>(Buffer.from(text).toString(), { delimiter, skipEmptyLines: true }).data;
  function* records() {
    for (const batch of batches) yield parse(batch);
  }
  return buffer(workbookBytes(parse(head), records(), options));
}

const sheetPath = (number: number): string => `xl/worksheets/sheet${number}.xml`;

type BookPart = readonly [name: string, xml: string];

/** ECMA-376, part 2: the content types, and where the workbook is. */
const firstParts: readonly BookPart[] = [
  [
    '[Content_Types].xml',
    `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="${content}.worksheet+xml"/><Override PartName="/xl/workbook.xml" ContentType="${content}.sheet.main+xml"/></Types>`,
  ],
  [
    '_rels/.rels',
    `<Relationships xmlns="${relationships}"><Relationship Id="rId1" Type="${document}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  ],
];

/** The names of the sheets, and their parts. */
function sheetDirectory(numbers: readonly number[]): BookPart[] {
  const sheets = numbers.map((number) => `<sheet name="Sheet${number}" sheetId="${number}" r:id="rId${number}"/>`);
  const targets = numbers.map(
    (number) => `<Relationship Id="rId${number}" Type="${document}/worksheet" Target="worksheets/sheet${number}.xml"/>`,
  );
  return [
    [
      'xl/workbook.xml',
      `<workbook xmlns="${spreadsheet}" xmlns:r="${document}"><sheets>${sheets.join('')}</sheets></workbook>`,
    ],
    ['xl/_rels/workbook.xml.rels', `<Relationships xmlns="${relationships}">${targets.join('')}</Relationships>`],
  ];
}

/** A sheet that is being written to a part of the archive. */
class Sheet {
  private readonly numberColumns: ReadonlySet<number>;
  private rows = 0;
  private writtenChars = 0;
  private xml = `${xmlHead}<worksheet xmlns="${spreadsheet}"><sheetData>`;

  constructor(
    private readonly part: ZipDeflate,
    head: Records,
    numberNames: ReadonlySet<string>,
  ) {
    const names = head.at(-1) ?? [];
    this.numberColumns = new Set(names.flatMap((name, column) => (numberNames.has(name) ? [column] : [])));
    for (const cells of head) this.add(cells, new Set());
  }

  isFull(maxRows: number): boolean {
    return this.rows >= maxRows || this.writtenChars + this.xml.length > maxSheetChars;
  }

  add(cells: readonly string[], numberColumns = this.numberColumns): void {
    this.xml += rowXml(++this.rows, cells, numberColumns);
  }

  flush(): void {
    this.writtenChars += this.xml.length;
    this.part.push(Buffer.from(this.xml));
    this.xml = '';
  }

  end(): void {
    this.part.push(Buffer.from(`${this.xml}</sheetData></worksheet>`), true);
  }
}

/** With several email columns, each has its own, with a prefix. */
const numberName = 'mailvet_confidence';
const plainNumber = /^\d+(?:\.\d+)?$/;

function rowXml(number: number, cells: readonly string[], numberColumns: ReadonlySet<number>): string {
  let text = `<row r="${number}">`;
  for (const [column, cell] of cells.slice(0, sheetLimits.columns).entries()) {
    if (cell === '') continue;
    const reference = `${columnName(column)}${number}`;
    text +=
      numberColumns.has(column) && plainNumber.test(cell)
        ? `<c r="${reference}"><v>${cell}</v></c>`
        : `<c r="${reference}" t="inlineStr"><is><t xml:space="preserve">${cellText(cell)}</t></is></c>`;
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
