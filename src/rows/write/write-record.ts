import { CsvScanner } from '../read/csv/csv-scanner.js';
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
  readonly #placement: ReturnType<typeof placeVerdict>;
  readonly #delimiter: string;
  readonly #keepsText: boolean;
  readonly #scanner: CsvScanner;
  readonly #listScanner: CsvScanner;
  readonly #guards: boolean;
  readonly #lineEnd: string;
  #lastLineEnd: string;
  /** The added cells of the last row, as they were given and as they were written. */
  #encoded = '';
  #written = '';

  /** Creates a writer for lists of this layout; `added` are the names of the added columns. */
  constructor(
    private readonly layout: Layout,
    private readonly added: readonly string[],
    { guards = false, delimiter = layout.delimiter }: RecordWriterOptions = {},
  ) {
    this.#delimiter = delimiter;
    this.#keepsText = delimiter === layout.delimiter;
    this.#scanner = new CsvScanner(delimiter);
    this.#listScanner = new CsvScanner(layout.delimiter);
    this.#placement = placeVerdict(layout.columns, added);
    this.#guards = guards;
    this.#lineEnd = layout.lineEnd ?? '\n';
    this.#lastLineEnd = this.#lineEnd;
  }

  /** The text above the rows: the list's preamble, and its header with the added columns. */
  head(): string {
    const { columns, hasHeader, headerText } = this.layout;
    const preamble = this.#guardedPreamble();
    if (!hasHeader) return preamble;
    if (headerText === undefined) return `${preamble}${this.#held(this.#placement.columns)}${this.#lineEnd}`;
    const { end } = bodyOf(headerText);
    const header = this.#join({ cells: columns, email: '' }, headerText.slice(0, end), this.added);
    return `${preamble}${header}${headerText.slice(end) || this.#lineEnd}`;
  }

  /** A row with the added cells and its line end. `encoded` is the added cells in one text, which many rows share. */
  record(row: Row, added: () => readonly string[], encoded?: string): string {
    // The last row of a file may have no line end, but a row that is written after it needs one.
    const before = this.#lastLineEnd === '' ? this.#lineEnd : '';
    const { text } = row;
    if (text === undefined) {
      this.#lastLineEnd = this.#lineEnd;
      return `${before}${this.#held(this.#placement.merge(row.cells, added()))}${this.#lineEnd}`;
    }
    const { start, end } = bodyOf(text);
    const lineEnd = text.slice(end);
    const isSame = encoded === this.#encoded && lineEnd === this.#lastLineEnd;
    this.#lastLineEnd = lineEnd;
    if (encoded === undefined || !this.#keepsText || !this.#isRegular(row))
      return `${before}${text.slice(0, start)}${this.#join(row, text.slice(start, end), added())}${lineEnd}`;
    if (!isSame || this.#written === '') this.#written = `${this.#delimiter}${encoded}${lineEnd}`;
    this.#encoded = encoded;
    return `${before}${text.slice(0, end)}${this.#written}`;
  }

  /** The empty lines at the end of the list. */
  tail(): string {
    return this.layout.tail?.() ?? '';
  }

  /** True if the added cells can follow the text of the row. */
  #isRegular(row: Row): boolean {
    if (!this.#placement.isAppended || (row.width ?? row.cells.length) !== this.layout.columns.length) return false;
    return !this.#guards || row.cells.every((cell) => escapeFormulas(cell) === cell);
  }

  #join(row: Row, record: string, added: readonly string[]): string {
    const text = this.#keepsText ? record : this.#withDelimiter(record, row);
    if (this.#isRegular(row)) return `${text}${this.#delimiter}${this.#encodeOurs(added)}`;
    const written = writtenCells(this.#scanner, text).map((cell, index) => {
      const shown = row.cells[index] ?? '';
      return this.#guards && escapeFormulas(shown) !== shown ? this.#held([shown]) : cell;
    });
    const ours = added.map((cell) => (cell === '' ? '' : this.#encodeOurs([cell])));
    return this.#placement.merge(written, ours).join(this.#delimiter);
  }

  /** The cells as they are written, with the delimiter of the output. */
  #withDelimiter(record: string, { cells }: Row): string {
    return writtenCells(this.#listScanner, record)
      .map((written, index) => {
        const isSafe = /^".*"$/s.test(written) || !written.includes(this.#delimiter);
        return isSafe ? written : this.#held([cells[index] ?? '']);
      })
      .join(this.#delimiter);
  }

  #guardedPreamble(): string {
    const { preamble: held = '', charset } = this.layout;
    const sepLine = /^((?:\ufeff|\xef\xbb\xbf)?)"?sep=.*(?:\r\n?|\n)/i;
    const preamble = this.#keepsText ? held : held.replace(sepLine, '$1');
    const shown = charset?.show(preamble) ?? preamble;
    const escaped = this.#guards ? escapeInnerFormulas(shown) : shown;
    return escaped === shown ? preamble : (charset?.hold(escaped) ?? escaped);
  }

  /** Cells as a record in the charset of the list. */
  #held(cells: readonly string[]): string {
    const record = encodeRawRow(this.#guards ? cells.map(escapeFormulas) : cells, this.#delimiter);
    return this.layout.charset?.hold(record) ?? record;
  }

  /** Our own cells, which a spreadsheet never runs. */
  #encodeOurs(cells: readonly string[]): string {
    const record = encodeRow(this.#guards ? cells.map(escapeFormulas) : cells, this.#delimiter);
    return this.layout.charset?.hold(record) ?? record;
  }
}

/** The cells of a record with the quotes that they are written in. */
function writtenCells(scanner: CsvScanner, record: string): string[] {
  scanner.add(record, true);
  return scanner.next() ? scanner.writtenCells() : [record];
}

/** Where a record starts after empty lines, and ends before its line end. */
function bodyOf(text: string): { start: number; end: number } {
  let start = 0;
  while (isLineEnd(text.charCodeAt(start))) start++;
  let end = text.length;
  while (end > start && isLineEnd(text.charCodeAt(end - 1))) end--;
  return { start, end };
}

function isLineEnd(code: number): boolean {
  return code === 10 || code === 13;
}
