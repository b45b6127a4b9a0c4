/** Signs with which a spreadsheet begins a formula, plain and full-width. */
const equals = /^[\t\r\n]*[=＝]/;
const sign = /^[\t\r\n]*[+\-@＋－＠]/;
const machinery = /[()|!'"&*]/;

/**
 * True for a cell that a spreadsheet could run. A sign before letters, digits and ordinary punctuation is data: a telephone number, a
 * handle, a note. It takes brackets, quotes or an operator on texts to run something.
 */
export function isFormula(cell: string): boolean {
  return equals.test(cell) || (sign.test(cell) && machinery.test(cell));
}
