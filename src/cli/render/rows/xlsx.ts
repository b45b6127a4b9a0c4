import { Failure } from '../../../model/failure.js';
import { addedColumnsOf } from '../../../rows/table/verdict-columns.js';
import { encodeWorkbook } from '../../../rows/write/write-workbook.js';
import { openWriter as openCsvWriter } from './csv.js';
import { addressLayout, type ListLayout, type RowStyle, type RowWriter } from './row-writer.js';

const nothing = new Uint8Array();

/** The rows of the CSV output as a workbook, which is written at the end: half of an archive could not be read. */
export function openWriter(style: RowStyle): RowWriter {
  if (style.isTty) {
    throw new Failure('usage', 'A workbook cannot be shown on a terminal.', {
      hint: 'Write it to a file: -o FILE.xlsx',
    });
  }
  const csv = openCsvWriter({ ...style, path: null });
  let layout: ListLayout = addressLayout;
  let head: Uint8Array = nothing;
  const batches: Uint8Array[] = [];
  return {
    begin: (given) => {
      layout = given;
      const { charset, headerText: _, tail: __, ...decoded } = layout;
      const above = charset?.show(layout.preamble ?? '') ?? layout.preamble ?? '';
      const preamble = above.replace(/^\ufeff?(?:"?sep=.*(?:\r\n?|\n))?/i, '');
      head = csv.begin({ ...decoded, preamble });
      return nothing;
    },
    rows: (rows, answers) => {
      // Cells instead of the raw text, which may be in another encoding.
      const cells = rows.map((row) => ({ cells: row.cells, email: row.email, ...(row.part && { part: row.part }) }));
      batches.push(csv.rows(cells, answers));
      return nothing;
    },
    end: (summary) => {
      batches.push(csv.end(summary) as Uint8Array);
      const addedColumns = style.fields === null ? addedColumnsOf(layout) : [];
      return encodeWorkbook(head, batches, { delimiter: layout.delimiter, addedColumns });
    },
  };
}
