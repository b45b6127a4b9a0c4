import { writtenCells } from '../read/csv/lenient-record.js';
import type { Layout, Row } from '../rows.js';
import { isFormula } from '../table/formula.js';
import { placeVerdict } from '../table/verdict-columns.js';
import { encodeRow, encodeRowAsIs } from './encode-row.js';

/** Writes the rows of a list back with cells of ours added, as they stood wherever nothing has to change. */
export interface RecordWriter {
  /** What stands above the rows: the list's own beginning, and its header with our columns. */
  opening(): string;
  /** A row with our cells, and its line end. They may be given encoded as well, for many rows share theirs. */
  record(row: Row, added: () => readonly string[], encoded?: string): string;
}

interface RecordWriterOptions {
  /** No cell is changed, not even one that a spreadsheet would run. */
  raw?: boolean;
}

/** A writer for a list of this layout that adds columns of these names. */
export function createRecordWriter(
  layout: Layout,
  ours: readonly string[],
  { raw = false }: RecordWriterOptions = {},
): RecordWriter {
  const { columns, hasHeader, delimiter, opening = '', lineEnd = '\n' } = layout;
  const encode = raw ? encodeRowAsIs : encodeRow;
  const width = columns.length;
  const { inside, behind, place, columns: allColumns } = placeVerdict(columns, ours);
  const follows = behind.length === ours.length;
  let lastEnd = lineEnd;

  /** The cells as they are written, our own places filled. */
  const fill = (row: Row, text: string, added: readonly string[]): string => {
    const written = writtenCells(text, delimiter).map((cell, index) => {
      const value = row.cells[index] ?? '';
      return raw || !isFormula(value) ? cell : neutralised(cell, value, delimiter);
    });
    if (follows) return place(written, added.map((cell) => encode([cell], delimiter)).map(bareEmpty)).join(delimiter);
    const filled = inside.map((at, index) => (at === -1 ? written[index] : encodeCell(added[at] ?? '')) ?? '');
    return [...filled, ...behind.map((at) => encodeCell(added[at] ?? '')), ...written.slice(width)].join(delimiter);
  };
  const encodeCell = (cell: string): string => bareEmpty(encode([cell], delimiter));

  const body = (row: Row, text: string | null, added: () => readonly string[], encoded?: string): string => {
    const behindIt = encoded ?? encode(added(), delimiter);
    if (text === null) {
      if (!follows || row.cells.length !== width) return encode(place(row.cells, added()), delimiter);
      return `${encode(row.cells, delimiter)}${delimiter}${behindIt}`;
    }
    if (!follows || row.cells.length !== width || (!raw && mayRun(row.cells))) return fill(row, text, added());
    return `${text}${delimiter}${behindIt}`;
  };

  return {
    opening: () => {
      if (!hasHeader) return opening;
      const { headerText } = layout;
      if (headerText === undefined) return `${opening}${encode(allColumns, delimiter)}${lineEnd}`;
      const [text, end] = apart(headerText);
      const row: Row = { cells: [...columns], email: '' };
      return `${opening}${body(row, text, () => ours)}${end === '' ? lineEnd : end}`;
    },
    record: (row, added, encoded) => {
      const [text, end] = row.text === undefined ? [null, lineEnd] : apart(row.text);
      // The last row of a file may be without one; whatever is written behind it needs it.
      const glue = lastEnd === '' ? lineEnd : '';
      lastEnd = end;
      return `${glue}${body(row, text, added, encoded)}${end}`;
    },
  };
}

/** A record's text and what ends it. */
function apart(text: string): [text: string, end: string] {
  const last = text.charCodeAt(text.length - 1);
  if (last !== 10 && last !== 13) return [text, ''];
  let at = text.length - 1;
  // CR LF, or CR CR LF.
  while (last === 10 && at > 0 && text.charCodeAt(at - 1) === 13) at--;
  return [text.slice(0, at), text.slice(at)];
}

/** True where some cell starts as a formula may: with a sign, an equals, or a control character before one. */
function mayRun(cells: readonly string[]): boolean {
  for (let index = 0; index < cells.length; index++) {
    const code = cells[index]?.charCodeAt(0) ?? 0;
    // Digits and letters of every script below the full-width forms.
    if ((code >= 48 && code < 61) || (code > 64 && code < 0xff00)) continue;
    if (code < 32 || code === 43 || code === 45 || code === 61 || code === 64 || code >= 0xff00) return true;
  }
  return false;
}

/** A written cell with an apostrophe before its text, in the quotes it had. */
function neutralised(written: string, value: string, delimiter: string): string {
  return written.startsWith('"') ? `"'${written.slice(1)}` : bareEmpty(encodeRow([value], delimiter));
}

function bareEmpty(encoded: string): string {
  return encoded === '""' ? '' : encoded;
}
