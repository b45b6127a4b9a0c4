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

/**
 * A row with cells added behind its columns: a short row is filled up first, and what a long row has too much goes last, so that
 * the added cells stand under their own headings either way.
 */
export function widenRow(cells: readonly string[], columnCount: number, added: readonly string[]): string[] {
  if (cells.length === columnCount) return [...cells, ...added];
  const own = cells.slice(0, columnCount);
  while (own.length < columnCount) own.push('');
  return [...own, ...added, ...cells.slice(columnCount)];
}

function join(cells: readonly string[], delimiter: string, safe: boolean): string {
  const separator = delimiter.charCodeAt(0);
  let record = '';
  for (let index = 0; index < cells.length; index++) {
    if (index > 0) record += delimiter;
    const cell = cells[index] ?? '';
    const text = safe && isFormula(cell) ? `'${cell}` : cell;
    record += needsQuotes(text, separator) ? `"${text.replaceAll('"', '""')}"` : text;
  }
  // A lone empty cell would read as an empty line, which is no record.
  return record === '' && cells.length === 1 ? '""' : record;
}

function needsQuotes(cell: string, separator: number): boolean {
  for (let at = 0; at < cell.length; at++) {
    const code = cell.charCodeAt(at);
    if (code === separator || code === 34 || code === 10 || code === 13) return true;
  }
  return false;
}

/** How formulas start, by OWASP's page on CSV injection; the last four are the full-width forms of the first. */
const formulaStarts = new Set([...'=+-@\t\r\n＝＋－＠'].map((char) => char.charCodeAt(0)));

/** Signed numbers and telephone numbers stay as they are: without letters there is nothing in them to run. */
const harmless = /^[+-][\d .,()/%€$£-]*$/;

function isFormula(cell: string): boolean {
  const first = cell.charCodeAt(0);
  // Letters and digits, the first characters of nearly every cell, are told apart without asking the set.
  if ((first > 64 && first < 0xff00) || (first > 47 && first < 61)) return false;
  return formulaStarts.has(first) && !harmless.test(cell);
}
