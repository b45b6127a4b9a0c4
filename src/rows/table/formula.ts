/** The first characters of a formula, ASCII and full-width. */
const equals = /^[\t\r\n]*[=＝]/;
const sign = /^[\t\r\n]*[+\-@＋－＠]/;
const operators = /[()|!'"&*]/;

/**
 * True for a cell that a spreadsheet could run. A sign before letters, digits and ordinary punctuation is data, such as a telephone
 * number, a handle or a note: a formula needs brackets, quotes or an operator on texts.
 */
export function isFormula(cell: string): boolean {
  return equals.test(cell) || (sign.test(cell) && operators.test(cell));
}
