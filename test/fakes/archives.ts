import { constants, deflateRawSync } from 'node:zlib';

/** A text, the same one several times, or several of these. */
type Content = string | { unit: string; times: number } | readonly Content[];

const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** The content in deflate, without unpacked copies of what is repeated. */
function pack(content: Content): Buffer {
  if (typeof content === 'string') return deflateRawSync(content, { finishFlush: constants.Z_FULL_FLUSH });
  if (!('unit' in content)) return Buffer.concat(content.map(pack));
  const unit = pack(content.unit);
  return Buffer.concat(Array.from({ length: content.times }, () => unit));
}

/** The last block of deflate, which is empty. */
const end = Buffer.from([3, 0]);

/** A ZIP archive that declares a size of one byte for each of its files. */
export function archiveOf(files: Record<string, Content>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const packed = Buffer.concat([pack(content), end]);
    const local = Buffer.alloc(30);
    local.write('PK\x03\x04', 'latin1');
    local.writeUInt16LE(8, 8);
    local.writeUInt32LE(packed.length, 18);
    local.writeUInt32LE(1, 22);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.write('PK\x01\x02', 'latin1');
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(1, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    parts.push(local, Buffer.from(name), packed);
    directory.push(entry, Buffer.from(name));
    offset += local.length + name.length + packed.length;
  }
  const last = Buffer.alloc(22);
  last.write('PK\x05\x06', 'latin1');
  last.writeUInt16LE(directory.length / 2, 10);
  last.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, last]);
}

/** A workbook with one sheet. */
export function workbookOf(
  rows: Content,
  { strings = '', styles = '' }: { strings?: Content; styles?: string } = {},
): Buffer {
  return archiveOf({
    '[Content_Types].xml': '<Types/>',
    'xl/workbook.xml': `<workbook ${main} xmlns:r="${relations}"><sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="rId1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/styles.xml': `<styleSheet ${main}>${styles}</styleSheet>`,
    'xl/sharedStrings.xml': [`<sst ${main}>`, strings, '</sst>'],
    'xl/worksheets/sheet1.xml': [`<worksheet ${main}><sheetData>`, rows, '</sheetData></worksheet>'],
  });
}

/** A cell with its own text. */
export function textCell(reference: string, text: string): string {
  return `<c r="${reference}" t="inlineStr"><is><t>${text}</t></is></c>`;
}
