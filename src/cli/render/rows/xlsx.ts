import { Failure } from '../../../model/failure.js';
import { openWriter as openCsvWriter } from './csv.js';
import type { RowStyle, RowWriter } from './row-writer.js';

/** A workbook is built in memory. */
const maxCells = 1_000_000;
const nothing = new Uint8Array();

/** The rows of the CSV output as a workbook, which is written at the end. */
export function openWriter(style: RowStyle): RowWriter {
  if (style.isTty) {
    throw new Failure('usage', 'A workbook cannot be shown on a terminal.', {
      hint: 'Write it to a file: -o FILE.xlsx',
    });
  }
  // Text cells of a workbook are never run.
  const csv = openCsvWriter({ ...style, raw: true, path: null });
  const pieces: Uint8Array[] = [];
  let delimiter = ',';
  let width = 0;
  let cells = 0;
  const keep = (piece: Uint8Array): Uint8Array => {
    pieces.push(piece);
    return nothing;
  };
  return {
    begin: (layout) => {
      delimiter = style.fields === null ? layout.delimiter : ',';
      width = layout.columns.length + 5;
      const preamble = (layout.preamble ?? '').replace(/^\ufeff?(?:"?sep=.*(?:\r\n?|\n))?/i, '');
      return keep(csv.begin({ ...layout, preamble }));
    },
    rows: (rows, answers) => {
      cells += rows.length * width;
      if (cells > maxCells) throw tooManyCells();
      return keep(csv.rows(rows, answers));
    },
    end: async (summary) => {
      keep(csv.end(summary) as Uint8Array);
      const { encodeWorkbook } = await import('../../../rows/write/write-workbook.js');
      return encodeWorkbook(Buffer.concat(pieces).toString(), delimiter);
    },
  };
}

function tooManyCells(): Failure {
  return new Failure('too_large', `A workbook of more than ${maxCells.toLocaleString('en')} cells is not written.`, {
    hint: 'Write CSV instead, which has no limit: -o FILE.csv',
  });
}
