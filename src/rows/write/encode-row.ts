import Papa from 'papaparse';
import { escapeFormula } from '../table/formula.js';

/** One CSV record without its line end. Cells are quoted if needed, and start with ' if a spreadsheet would run them. */
export function encodeRow(cells: readonly string[], delimiter: string): string {
  return encodeRawRow(cells.map(escapeFormula), delimiter);
}

/** One CSV record without its line end, with formulas as they are. */
export function encodeRawRow(cells: readonly string[], delimiter: string): string {
  // Papa would also quote blanks at either end of a cell.
  const encode = (cell: string): string =>
    cell.includes(delimiter) || /["\r\n]/.test(cell) ? Papa.unparse([[cell]], { delimiter }) : cell;
  const record = cells.map(encode).join(delimiter);
  // An empty line would not be a record.
  return record === '' && cells.length === 1 ? '""' : record;
}
