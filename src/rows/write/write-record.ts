import { writtenCells } from '../read/csv/lenient-record.js';
import type { Layout, Row } from '../rows.js';
import { escapeFormula, isFormula } from '../table/formula.js';
import { placeVerdict } from '../table/verdict-columns.js';
import { encodeRawRow, encodeRow } from './encode-row.js';

interface RecordWriterOptions {
  /** True: no cell is changed, not even one that a spreadsheet would run. */
  raw?: boolean;
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

/** Writes the rows of a list back with cells added, and keeps the text of a row if nothing in it has to change. */
export class RecordWriter {
  readonly #layout: Layout;
  readonly #added: readonly string[];
  readonly #placement: ReturnType<typeof placeVerdict>;
  readonly #isRaw: boolean;
  readonly #keepsText: boolean;
  readonly #encode: (cells: readonly string[], delimiter: string) => string;
  readonly #lineEnd: string;
  #lastLineEnd: string;

  /** Creates a writer for lists of this layout; `added` are the names of the added columns. */
  constructor(
    layout: Layout,
    added: readonly string[],
    { raw = false, delimiter = layout.delimiter }: RecordWriterOptions = {},
  ) {
    this.#keepsText = delimiter === layout.delimiter;
    this.#layout = this.#keepsText ? layout : withDelimiter(layout, delimiter);
    this.#added = added;
    this.#placement = placeVerdict(layout.columns, added);
    this.#isRaw = raw;
    this.#encode = raw ? encodeRawRow : encodeRow;
    this.#lineEnd = layout.lineEnd ?? '\n';
    this.#lastLineEnd = this.#lineEnd;
  }

  /** The text above the rows: the list's preamble, and its header with the added columns. */
  head(): string {
    const { columns, hasHeader, delimiter, preamble = '', headerText } = this.#layout;
    if (!hasHeader) return preamble;
    if (headerText === undefined) {
      return `${preamble}${this.#encode(this.#placement.columns, delimiter)}${this.#lineEnd}`;
    }
    const [text, end] = splitLineEnd(headerText);
    const header: Row = { cells: [...columns], email: '' };
    return `${preamble}${this.#join(header, text, () => this.#added)}${end === '' ? this.#lineEnd : end}`;
  }

  /** A row with the added cells and its line end. `encoded` is the added cells in one text, which many rows share. */
  record(row: Row, added: () => readonly string[], encoded?: string): string {
    const [text, end] = row.text === undefined || !this.#keepsText ? [null, this.#lineEnd] : splitLineEnd(row.text);
    // The last row of a file may have no line end, but a row that is written after it needs one.
    const before = this.#lastLineEnd === '' ? this.#lineEnd : '';
    this.#lastLineEnd = end;
    return `${before}${this.#join(row, text, added, encoded)}${end}`;
  }

  #join(row: Row, text: string | null, added: () => readonly string[], encoded?: string): string {
    const { columns, delimiter } = this.#layout;
    const { isAppended, merge } = this.#placement;
    const isRegular = isAppended && row.cells.length === columns.length;
    if (text !== null && (!isRegular || (!this.#isRaw && mayBeFormula(row.cells)))) {
      return merge(this.#writtenCells(row, text), added().map(this.#encodeCell)).join(delimiter);
    }
    if (!isRegular) return this.#encode(merge(row.cells, added()), delimiter);
    return `${text ?? this.#encode(row.cells, delimiter)}${delimiter}${encoded ?? this.#encode(added(), delimiter)}`;
  }

  /** The cells as they are written in the text, formulas escaped. */
  #writtenCells(row: Row, text: string): string[] {
    const { delimiter } = this.#layout;
    return writtenCells(text, delimiter).map((written, index) => {
      const value = row.cells[index] ?? '';
      if (this.#isRaw || !isFormula(value)) return written;
      return written.startsWith('"') ? `"${escapeFormula(written.slice(1))}` : this.#encodeCell(value);
    });
  }

  /** A cell among others: an empty one needs no quotes. */
  readonly #encodeCell = (cell: string): string => {
    return cell === '' ? '' : this.#encode([cell], this.#layout.delimiter);
  };
}

/** The layout with another delimiter, and without a `sep=` line. */
function withDelimiter({ headerText: _, preamble = '', ...layout }: Layout, delimiter: string): Layout {
  return { ...layout, delimiter, preamble: preamble.replace(/^(\ufeff?)"?sep=.*(?:\r\n?|\n)/i, '$1') };
}

/** A record's text and its line end. */
function splitLineEnd(text: string): [text: string, end: string] {
  const last = text.charCodeAt(text.length - 1);
  if (last !== 10 && last !== 13) return [text, ''];
  let index = text.length - 1;
  // CR LF, or CR CR LF.
  while (last === 10 && index > 0 && text.charCodeAt(index - 1) === 13) index--;
  return [text.slice(0, index), text.slice(index)];
}

/** A quick check: true if a cell starts with `+`, `-`, `=`, `@`, a control character or a full-width form. */
function mayBeFormula(cells: readonly string[]): boolean {
  for (let index = 0; index < cells.length; index++) {
    const code = cells[index]?.charCodeAt(0) ?? 0;
    // Digits and letters of every script below the full-width forms.
    if ((code >= 48 && code < 61) || (code > 64 && code < 0xff00)) continue;
    if (code < 32 || code === 43 || code === 45 || code === 61 || code === 64 || code >= 0xff00) return true;
  }
  return false;
}
