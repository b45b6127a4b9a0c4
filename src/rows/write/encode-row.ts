import Papa from 'papaparse';
import { codePattern } from '../read/csv/lenient-record.js';
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

/** Matches cells that are neither a formula nor in need of quotes. */
function ordinaryCell(delimiter: string): RegExp {
  let known = ordinaryCells.get(delimiter);
  if (known === undefined) {
    const special = `"\\n\\r${codePattern(delimiter)}`;
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
  // Papa would also quote blanks at either end of a cell.
  return needsQuotes ? Papa.unparse([[text]], { delimiter }) : text;
}
