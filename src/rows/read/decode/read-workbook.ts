import Papa from 'papaparse';
import { formatAmount, formatNumber } from '../../../model/amount.js';
import { Failure } from '../../../model/failure.js';
import type { CellFormat } from '../../../model/job.js';
import { tooLarge } from './read-failure.js';
import type { UnreadSheet } from './workbook-sheets.js';

/** The first bytes of a ZIP archive, which a workbook (xlsx) is. */
export function isArchive(head: Uint8Array): boolean {
  return head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4;
}

/** A sheet is held in memory as a whole. */
export const maxWorkbookBytes = 32 * 1024 * 1024;
const maxUnpackedBytes = 160 * 1024 * 1024;
/** Including empty ones: more than that many with a value do not fit into `maxUnpackedBytes`. */
const maxCells = 20_000_000;

/** A sheet of a workbook as CSV in UTF-8, and what the user should know about the others. */
interface SheetText {
  csv: Buffer;
  cellFormats: (CellFormat | null)[];
  warnings: string[];
}

/** The sheet of that name, or the first. Null for another archive. */
export async function readWorkbook(archive: Buffer, name: string, sheet?: string): Promise<SheetText | null> {
  if (!archive.includes('xl/workbook.xml')) return null;
  // Understated sizes are safe: no more than the declared size is unpacked.
  if (unpackedBytes(archive) > maxUnpackedBytes) throw tooLarge(name, maxUnpackedBytes);
  const excel = await import('read-excel-file/universal');
  const { readCellFormats } = await import('./cell-formats.js');
  const { inspectWorkbook } = await import('./workbook-sheets.js');
  try {
    const workbook = inspectWorkbook(archive, sheet);
    const rows = await excel.readSheet(Uint8Array.from(workbook.archive).buffer, sheet ?? 1, { trim: false });
    requireCells(rows.length * (rows[0]?.length ?? 0), name);
    const texts = rows.map((cells) => cells.map(cellText));
    return {
      csv: Buffer.from(`${Papa.unparse(texts, { newline: '\n' })}\n`),
      cellFormats: readCellFormats(rows, texts, workbook),
      // A user who names a sheet has chosen.
      warnings: sheet === undefined ? unreadWarning(workbook.unread) : [],
    };
  } catch (thrown) {
    throw workbookFailure(thrown, name, sheet);
  }
}

/** One cell far to the right makes every row as long as the sheet is wide. */
function requireCells(count: number, name: string): void {
  if (count <= maxCells) return;
  throw new Failure(
    'too_large',
    `The sheet of ${name} has more than ${formatNumber(maxCells)} cells, most of them empty.`,
    {
      hint: 'Delete the empty columns and rows around the list in a spreadsheet program, or save it as CSV (UTF-8).',
    },
  );
}

function unreadWarning(sheets: readonly UnreadSheet[]): string[] {
  const [first, ...others] = sheets;
  if (first === undefined) return [];
  const names = sheets.slice(0, 5).map(({ name, rows }) => `${JSON.stringify(name)} (${formatAmount(rows, 'row')})`);
  if (sheets.length > names.length) names.push(`${sheets.length - names.length} more`);
  const which = others.length === 0 ? 'A sheet that was not read has' : 'Sheets that were not read have';
  return [`${which} addresses, too: ${names.join(', ')}. --sheet ${JSON.stringify(first.name)} reads it.`];
}

/** ECMA-376 §22.9.2.19: a character that XML does not allow, such as the `_x000D_` of a line end. */
const escapedCharacter = /_x([0-9a-fA-F]{4})_/g;

function cellText(value: string | number | boolean | Date | null): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (value instanceof Date) return dateText(value);
  return String(value).replace(escapedCharacter, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** The reader rounds down, so that 12:34:56 may be a millisecond less. */
function dateText(date: Date): string {
  const time = date.getTime();
  const rounded = time % 1000 === 999 || time % 1000 === -1 ? new Date(time + 1) : date;
  return rounded.toISOString().replace(/T00:00:00\.000Z$|\.000Z$/, '');
}

/** The declared sizes of all files, by the central directory (APPNOTE.TXT, section 4.3.12). */
function unpackedBytes(archive: Buffer): number {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (end === -1 || end + 22 > archive.length) return 0;
  const entryCount = archive.readUInt16LE(end + 10);
  let offset = archive.readUInt32LE(end + 16);
  let sum = 0;
  for (let entry = 0; entry < entryCount && offset + 46 <= archive.length; entry++) {
    sum += archive.readUInt32LE(offset + 24);
    // The fixed part, the name, the extra fields and the comment.
    offset +=
      46 + archive.readUInt16LE(offset + 28) + archive.readUInt16LE(offset + 30) + archive.readUInt16LE(offset + 32);
  }
  return sum;
}

function workbookFailure(thrown: unknown, name: string, sheet: string | undefined): Failure {
  if (thrown instanceof Failure) return thrown;
  const isMissing = thrown instanceof Error && thrown.constructor.name === 'SheetNotFoundError';
  if (isMissing && sheet !== undefined) {
    return new Failure('usage', `There is no sheet ${JSON.stringify(sheet)} in ${name}.`, {
      hint: 'Check the name at the bottom of the spreadsheet program, or leave out --sheet for the first one.',
      cause: thrown,
    });
  }
  return new Failure('bad_input', `The workbook ${name} cannot be read; it is damaged, or protected by a password.`, {
    hint: 'Open it in a spreadsheet program and save it as CSV (UTF-8).',
    cause: thrown,
  });
}
