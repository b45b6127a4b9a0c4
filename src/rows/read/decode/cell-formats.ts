import type { CellFormat } from '../../../model/job.js';
import { kindOfText } from '../../table/cell-kind.js';
import { attribute, elements } from './workbook-xml.js';

type CellValue = string | number | boolean | Date | null;

/**
 * How the cells of each column are to be written to another workbook: null for text. A column has a format if its values are of one
 * kind and in one number format, and no text in it looks like such a value. So no ZIP code or telephone number changes.
 */
export function readCellFormats(
  rows: readonly (readonly CellValue[])[],
  texts: readonly (readonly string[])[],
  { sheet, styles, has1904Dates }: { sheet: string; styles: string; has1904Dates: boolean },
): (CellFormat | null)[] {
  const formatsOf = numberFormats(sheet, styles);
  if (formatsOf === null) return [];
  const columnCount = rows.reduce((most, cells) => Math.max(most, cells.length), 0);
  return Array.from({ length: columnCount }, (_, column) => {
    const kinds = new Set(rows.map((cells) => kindOfValue(cells[column] ?? null)).filter((kind) => kind !== null));
    const [kind] = kinds;
    if (kind === undefined || kinds.size > 1) return null;
    const isTold = rows.every(
      (cells, row) =>
        (kindOfValue(cells[column] ?? null) === kind) === (kindOfText(texts[row]?.[column] ?? '') === kind),
    );
    const formats = formatsOf.get(column) ?? new Set();
    const [format = 0] = formats;
    if (!isTold || formats.size > 1) return null;
    // Durations cannot be told from dates, and only dates count from 1904.
    if (kind === 'date' && (format === 0 || has1904Dates)) return null;
    return { kind, format: kind === 'boolean' ? 0 : format };
  });
}

function kindOfValue(value: CellValue): CellFormat['kind'] | null {
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  return value instanceof Date ? 'date' : null;
}

type NumberFormat = CellFormat['format'];

/** The formats of the numbers in each column; null if a cell does not say where it is, or has an unknown style. */
function numberFormats(sheet: string, styles: string): Map<number, Set<NumberFormat>> | null {
  const styleFormats = formatsOfStyles(styles);
  const formats = new Map<number, Set<NumberFormat>>();
  for (const [, attributes = ''] of sheet.matchAll(/<(?:\w+:)?c((?:\s[^>]*)?)>/g)) {
    if (attributes.endsWith('/') || /\st=["'](?:s|str|inlineStr|b|e)["']/.test(attributes)) continue;
    const [, letters] = /\sr=["']([A-Z]+)\d+["']/.exec(attributes) ?? [];
    const [, style = '0'] = /\ss=["'](\d+)["']/.exec(attributes) ?? [];
    const format = styles === '' ? 0 : styleFormats[Number(style)];
    if (letters === undefined || format === undefined) return null;
    const column = columnIndex(letters);
    const known = formats.get(column);
    if (known === undefined) formats.set(column, new Set([format]));
    else known.add(format);
  }
  return formats;
}

/** The number format of each cell style: its code, or the id of a built-in one (ECMA-376, part 1, section 18.8.30). */
function formatsOfStyles(styles: string): (NumberFormat | undefined)[] {
  const [, ownFormats = ''] = /<(?:\w+:)?numFmts[\s>]([\s\S]*?)<\/(?:\w+:)?numFmts>/.exec(styles) ?? [];
  const codes = new Map(
    elements(ownFormats, 'numFmt').map((element) => [attribute(element, 'numFmtId'), attribute(element, 'formatCode')]),
  );
  const [cellStyles = ''] = /<(?:\w+:)?cellXfs[\s>][\s\S]*?<\/(?:\w+:)?cellXfs>/.exec(styles) ?? [];
  return (cellStyles.match(/<(?:\w+:)?xf(?:\s[^>]*)?>/g) ?? []).map((element) => {
    const id = attribute(element, 'numFmtId');
    const code = codes.get(id);
    if (code === 'General') return 0;
    if (code === undefined) return Number(id) < 164 ? Number(id) : undefined;
    return /\p{C}/u.test(code) ? undefined : code;
  });
}

/** A is 0, Z is 25, AA is 26. */
function columnIndex(letters: string): number {
  let index = 0;
  for (const letter of letters) index = index * 26 + letter.charCodeAt(0) - 64;
  return index - 1;
}
