import { writtenCells } from '../read/csv/lenient-record.js';
import type { Layout, Row } from '../rows.js';
import { escapeFormulas, escapeInnerFormulas } from '../table/formula.js';
import { placeVerdict } from '../table/verdict-columns.js';
import { encodeRawRow, encodeRow } from './encode-row.js';

interface RecordWriterOptions {
  /** True: formulas in cells and in the lines above the header are escaped; for downloads of lists that others uploaded. */
  guards?: boolean;
  /** The delimiter of the output, if not that of the list. */
  delimiter?: string;
}

/** The delimiter of a CSV file by its extension: no tab in a `.csv`, always tabs in a `.tsv`, otherwise that of the list. */
export function delimiterOfFile(path: string | null, listDelimiter: string): string {
  const [, extension] = /\.(csv|tsv|tab)(?:\.gz)?$/i.exec(path ?? '') ?? [];
  if (extension === undefined) return listDelimiter;
  if (extension.toLowerCase() !== 'csv') return '\t';
  return listDelimiter === '\t' ? ',' : listDelimiter;
}

/**
 * Writes the rows of a list back with cells added, as text that the list's Charset turns into bytes. The text of a row is kept; only
 * the added cells are ours.
 */
export class RecordWriter {
  readonly #layout: Layout;
  readonly #added: readonly string[];
  readonly #placement: ReturnType<typeof placeVerdict>;
  readonly #guards: boolean;
  readonly #keepsText: boolean;
  readonly #listDelimiter: string;
  readonly #lineEnd: string;
  #lastLineEnd: string;

  /** Creates a writer for lists of this layout; `added` are the names of the added columns. */
  constructor(
    layout: Layout,
    added: readonly string[],
    { guards = false, delimiter = layout.delimiter }: RecordWriterOptions = {},
  ) {
    this.#keepsText = delimiter === layout.delimiter;
    this.#listDelimiter = layout.delimiter;
    this.#layout = this.#keepsText ? layout : withDelimiter(layout, delimiter);
    this.#added = added;
    this.#placement = placeVerdict(layout.columns, added);
    this.#guards = guards;
    this.#lineEnd = layout.lineEnd ?? '\n';
    this.#lastLineEnd = this.#lineEnd;
  }

  /** The text above the rows: the list's preamble, and its header with the added columns. */
  head(): string {
    const { columns, hasHeader, headerText } = this.#layout;
    const preamble = this.#guardedPreamble();
    if (!hasHeader) return preamble;
    if (headerText === undefined) {
      return `${preamble}${this.#held(this.#escaped(this.#placement.columns))}${this.#lineEnd}`;
    }
    const [, text, end] = splitText(headerText);
    const header = { cells: columns, email: '' };
    return `${preamble}${this.#join(header, text, () => this.#added)}${end === '' ? this.#lineEnd : end}`;
  }

  /** A row with the added cells and its line end. `encoded` is the added cells in one text, which many rows share. */
  record(row: Row, added: () => readonly string[], encoded?: string): string {
    const [linesAbove, text, end] = row.text === undefined ? ['', null, this.#lineEnd] : splitText(row.text);
    // The last row of a file may have no line end, but a row that is written after it needs one.
    const before = this.#lastLineEnd === '' ? this.#lineEnd : '';
    this.#lastLineEnd = end;
    return `${before}${linesAbove}${this.#join(row, text, added, encoded)}${end}`;
  }

  /** The empty lines at the end of the list. */
  tail(): string {
    return this.#layout.tail?.() ?? '';
  }

  #join(row: Row, record: string | null, added: () => readonly string[], encoded?: string): string {
    const text = record === null || this.#keepsText ? record : this.#withDelimiter(record, row);
    const { columns, delimiter } = this.#layout;
    const { isAppended, merge } = this.#placement;
    const isRegular = isAppended && (row.width ?? row.cells.length) === columns.length;
    if (text === null) {
      return this.#held(merge(this.#escaped(row.cells), added()));
    }
    if (isRegular && !(this.#guards && row.cells.some((cell) => escapeFormulas(cell) !== cell))) {
      return `${text}${delimiter}${encoded ?? this.#encodeOurs(added())}`;
    }
    const written = writtenCells(text, delimiter).map((cell, index) => this.#guarded(cell, row.cells[index] ?? ''));
    const ours = added().map((cell) => (cell === '' ? '' : this.#encodeOurs([cell])));
    return merge(written, ours).join(delimiter);
  }

  /** The cells as they are written, with the delimiter of the output. */
  #withDelimiter(record: string, { cells }: Row): string {
    const { delimiter } = this.#layout;
    return writtenCells(record, this.#listDelimiter)
      .map((written, index) => {
        const isSafe = /^".*"$/s.test(written) || !written.includes(delimiter);
        return isSafe ? written : this.#held([cells[index] ?? '']);
      })
      .join(delimiter);
  }

  #guarded(written: string, cell: string): string {
    const [escaped = cell] = this.#escaped([cell]);
    return escaped === cell ? written : this.#held([escaped]);
  }

  #escaped(cells: readonly string[]): readonly string[] {
    return this.#guards ? cells.map(escapeFormulas) : cells;
  }

  #guardedPreamble(): string {
    const { preamble = '', charset } = this.#layout;
    const shown = charset?.show(preamble) ?? preamble;
    const escaped = this.#guards ? escapeInnerFormulas(shown) : shown;
    return escaped === shown ? preamble : (charset?.hold(escaped) ?? escaped);
  }

  /** Cells as a record in the charset of the list. */
  #held(cells: readonly string[]): string {
    const record = encodeRawRow(cells, this.#layout.delimiter);
    return this.#layout.charset?.hold(record) ?? record;
  }

  /** Our own cells, which a spreadsheet never runs. */
  #encodeOurs(cells: readonly string[]): string {
    const record = encodeRow(this.#escaped(cells), this.#layout.delimiter);
    return this.#layout.charset?.hold(record) ?? record;
  }
}

/** The layout with another delimiter, and without a `sep=` line. */
function withDelimiter({ preamble = '', ...layout }: Layout, delimiter: string): Layout {
  return { ...layout, delimiter, preamble: preamble.replace(/^((?:\ufeff|\xef\xbb\xbf)?)"?sep=.*(?:\r\n?|\n)/i, '$1') };
}

/** The empty lines above a record, its text and its line end. */
function splitText(record: string): [linesAbove: string, text: string, end: string] {
  let start = 0;
  while (isLineEnd(record.charCodeAt(start))) start++;
  let end = record.length;
  while (end > start && isLineEnd(record.charCodeAt(end - 1))) end--;
  return [record.slice(0, start), record.slice(start, end), record.slice(end)];
}

function isLineEnd(code: number): boolean {
  return code === 10 || code === 13;
}
