import Papa from 'papaparse';
import { codePattern } from '../read/csv/lenient-record.js';
import { escapeFormula } from '../table/formula.js';

/** One CSV record without its line end. Cells are quoted if needed, and start with ' if a spreadsheet would run them. */
export function encodeRow(cells: readonly string[], delimiter: string): string {
  return joinCells(cells, delimiter, true);
}

/** One CSV record without its line end, with formulas as they are. */
export function encodeRawRow(cells: readonly string[], delimiter: string): string {
  return joinCells(cells, delimiter, false);
}

const plainCellPatterns = new Map<string, RegExp>();

/** Matches cells that are neither a formula nor in need of quotes. */
function plainCellPattern(delimiter: string): RegExp {
  let pattern = plainCellPatterns.get(delimiter);
  if (pattern === undefined) {
    const special = `"\\n\\r${codePattern(delimiter)}`;
    pattern = new RegExp(`^(?:[^\\x00-\\x1f=+\\-@＝＋－＠${special}][^${special}]*)?$`);
    plainCellPatterns.set(delimiter, pattern);
  }
  return pattern;
}

function joinCells(cells: readonly string[], delimiter: string, escapeFormulas: boolean): string {
  const plain = plainCellPattern(delimiter);
  let record = '';
  for (let index = 0; index < cells.length; index++) {
    if (index > 0) record += delimiter;
    const cell = cells[index] ?? '';
    record += plain.test(cell) ? cell : encodeSpecial(cell, delimiter, escapeFormulas);
  }
  // An empty line would not be a record.
  return record === '' && cells.length === 1 ? '""' : record;
}

function encodeSpecial(cell: string, delimiter: string, escapeFormulas: boolean): string {
  const text = escapeFormulas ? escapeFormula(cell) : cell;
  const needsQuotes = text.includes(delimiter) || /["\r\n]/.test(text);
  // Papa would also quote blanks at either end of a cell.
  return needsQuotes ? Papa.unparse([[text]], { delimiter }) : text;
}
