import { Failure } from '../../../model/failure.js';
import { encodeWorkbook } from '../../../rows/write/write-workbook.js';
import { addedColumnsOf, openWriter as openCsvWriter } from './csv.js';
import { addressLayout, type ListLayout, type RowStyle, type RowWriter } from './row-writer.js';

const nothing = new Uint8Array();

/** The rows of the CSV output as a workbook, which is written at the end: half of an archive could not be read. */
export function openWriter(style: RowStyle): RowWriter {
  if (style.isTty) {
    throw new Failure('usage', 'A workbook cannot be shown on a terminal.', {
      hint: 'Write it to a file: -o FILE.xlsx',
    });
  }
  // Text cells of a workbook are never run.
  const csv = openCsvWriter({ ...style, raw: true, path: null });
  let layout: ListLayout = addressLayout;
  let head: Uint8Array = nothing;
  const batches: Uint8Array[] = [];
  return {
    begin: (given) => {
      layout = given;
      const preamble = (layout.preamble ?? '').replace(/^\ufeff?(?:"?sep=.*(?:\r\n?|\n))?/i, '');
      head = csv.begin({ ...layout, preamble });
      return nothing;
    },
    rows: (rows, answers) => {
      batches.push(csv.rows(rows, answers));
      return nothing;
    },
    end: (summary) => {
      batches.push(csv.end(summary) as Uint8Array);
      const { delimiter, cellFormats = [] } = layout;
      const columns = style.fields === null ? { cellFormats, addedColumns: addedColumnsOf(layout) } : {};
      return encodeWorkbook(head, batches, { delimiter, ...columns });
    },
  };
}
