/** The first characters of a formula, ASCII and full-width. */
const start = /^[\t\r\n]*[=＝]|^[\x00-\x1f]/;
const sign = /^[+\-@＋－＠]/;
/** DDE, a reference to another sheet, and a function. */
const formulaParts = /[|!]|\p{L}\(/u;

/**
 * True for a cell that a spreadsheet could run. A sign before letters, digits and ordinary punctuation is data, such as a telephone
 * number, a handle or a note.
 */
export function isFormula(cell: string): boolean {
  return start.test(cell) || (sign.test(cell) && formulaParts.test(cell));
}

/** The white space before an address that is alone in its cell, which may have a quote at its end. */
const spaceBeforeAddress = /^[\s\0]+(?=[^\s\0@<>",;]+@[^\s@<>",;]+\s*"?$)/;

/** Escapes a cell so that a spreadsheet does not run it: a formula gets a leading ', and an address loses the white space before it. */
export function escapeFormula(cell: string): string {
  if (!isFormula(cell)) return cell;
  const text = cell.replace(spaceBeforeAddress, '');
  return isFormula(text) ? `'${cell}` : text;
}

/** A formula where a spreadsheet splits at another delimiter than the file's, and does not know its quotes. */
const innerEquals = /[=＝](?<=(?:^\ufeff?|[;,\t\r\n]["\x00-\x1f]*).)/g;
const innerSigns = /[=＝+\-@＋－＠](?<=(?:^\ufeff?|[;,\t\r\n]["\x00-\x1f]*).)/g;

/** Puts a ' before each formula in a text of several cells, whether they are split at `;`, `,`, a tab or a line end. */
export function escapeInnerFormulas(text: string): string {
  return text.replace(formulaParts.test(text) ? innerSigns : innerEquals, "'$&");
}

/** Escapes a cell of a list that others uploaded. */
export function escapeFormulas(cell: string): string {
  return escapeInnerFormulas(escapeFormula(cell));
}
