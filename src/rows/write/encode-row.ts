import { isFormula } from '../table/formula.js';

/**
 * One CSV record, without its line end: cells quoted where they must be, and with a leading ' where a spreadsheet would run them
 * as a formula.
 */
export function encodeRow(cells: readonly string[], delimiter: string): string {
  return join(cells, delimiter, true);
}

/** One CSV record, without its line end, for programs rather than spreadsheets: no cell is changed. */
export function encodeRowAsIs(cells: readonly string[], delimiter: string): string {
  return join(cells, delimiter, false);
}

const ordinaryCells = new Map<string, RegExp>();

/** Matches the cells, nearly all there are, that can be written as they stand. */
function ordinaryCell(delimiter: string): RegExp {
  let known = ordinaryCells.get(delimiter);
  if (known === undefined) {
    const special = `"\\n\\r\\u${delimiter.charCodeAt(0).toString(16).padStart(4, '0')}`;
    known = new RegExp(`^(?:[^=+\\-@\\t＝＋－＠${special}][^${special}]*)?$`);
    ordinaryCells.set(delimiter, known);
  }
  return known;
}

function join(cells: readonly string[], delimiter: string, safe: boolean): string {
  const ordinary = ordinaryCell(delimiter);
  let record = '';
  for (let index = 0; index < cells.length; index++) {
    if (index > 0) record += delimiter;
    const cell = cells[index] ?? '';
    record += ordinary.test(cell) ? cell : encodeSpecial(cell, delimiter, safe);
  }
  // A lone empty cell would read as an empty line, which is no record.
  return record === '' && cells.length === 1 ? '""' : record;
}

function encodeSpecial(cell: string, delimiter: string, safe: boolean): string {
  const text = safe && isFormula(cell) ? `'${cell}` : cell;
  const needsQuotes = text.includes(delimiter) || /["\r\n]/.test(text);
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
}
