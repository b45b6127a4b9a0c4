import { hashOn, isDigit, noted, placeIn, type Table, toldAt } from './feature-index.js';
import { boundary, maxCodes } from './fold-to-ascii.js';

/** The hash of a whole word is not that of an n-gram of the same letters. */
export const emptyWord = 0x2f0b4a27;
export const shortestWord = 4;

/** Each word of 4 letters or more as the lexicon knows it: whole, and without its first or last letter, which may be an initial. */
export function readWords(codes: Uint16Array, length: number, table: Table, told: Int32Array, already: number): number {
  let count = already;
  for (let start = 1, end = 1; start < length; start = end + 1) {
    let whole = emptyWord;
    let withoutFirst = emptyWord;
    let withoutLast = emptyWord;
    for (end = start; end < length; end++) {
      const code = codes[end] as number;
      if (endsWord(code)) break;
      withoutLast = whole;
      whole = hashOn(whole, code);
      if (end > start) withoutFirst = hashOn(withoutFirst, code);
    }
    const letters = end - start;
    if (letters < shortestWord) continue;
    const known = placeIn(table.lexicon, whole);
    if (known >= 0) told[count++] = toldAt(known, table.lexicon, table.training);
    const rest = letters > shortestWord ? eitherIn(table.lexicon, withoutFirst, withoutLast) : -1;
    if (rest >= 0) told[count++] = toldAt(rest, table.lexicon, table.training);
    told[count++] = noted(table, 22, Math.min(12, letters) * 4 + (known >= 0 ? 1 : 0) + (rest >= 0 ? 2 : 0));
  }
  return count;
}

/** Reused, since reading is synchronous: the digits as letters, where 1 is typed for `i`, and for `l` as well. */
export const withI = new Uint16Array(maxCodes);
const withL = new Uint16Array(maxCodes);

/** Each word of 4 letters or more with its digits read as the letters that they look like: whether the lexicon knows it so. */
export function readDigitsAsLetters(
  codes: Uint16Array,
  length: number,
  table: Table,
  told: Int32Array,
  already: number,
): number {
  const end = endOfLetters(codes, length);
  lettersInto(withI, codes, length, end, 'oizeasgtbg');
  lettersInto(withL, codes, length, end, 'olzeasgtbg');
  let count = already;
  for (let start = 1, last = 1; start < length; start = last + 1) {
    last = endOfWord(withI, start, length);
    if (last - start < shortestWord) continue;
    const known = eitherIn(table.lexicon, hashOfWord(withI, start, last), hashOfWord(withL, start, last));
    if (known >= 0) told[count++] = toldAt(known, table.lexicon, table.training);
    told[count++] = noted(table, 24, Math.min(12, last - start) * 2 + (known >= 0 ? 1 : 0));
  }
  return count;
}

/** The place of the first of two words that is known; -1 where neither is. */
function eitherIn(lexicon: Uint16Array, one: number, other: number): number {
  const place = placeIn(lexicon, one);
  return place >= 0 ? place : placeIn(lexicon, other);
}

/** Where the letters end that begin here: at a boundary or at a digit. */
function endOfWord(codes: Uint16Array, start: number, length: number): number {
  let end = start;
  while (end < length && !endsWord(codes[end] as number)) end++;
  return end;
}

function endsWord(code: number): boolean {
  return code === boundary || isDigit(code);
}

function hashOfWord(codes: Uint16Array, start: number, end: number): number {
  let hash = emptyWord;
  for (let at = start; at < end; at++) hash = hashOn(hash, codes[at] as number);
  return hash;
}

/** Two digits and more at the end are a number, and no letters. */
function endOfLetters(codes: Uint16Array, length: number): number {
  let end = length - 1;
  while (end > 1 && isDigit(codes[end - 1] as number)) end--;
  return end < length - 2 ? end : length;
}

/** The codes, and for 0 to 9 before `end` the letter at its place in `letters`. */
function lettersInto(read: Uint16Array, codes: Uint16Array, length: number, end: number, letters: string): void {
  for (let at = 0; at < length; at++) {
    const code = codes[at] as number;
    read[at] = at < end && isDigit(code) ? letters.charCodeAt(code - 48) : code;
  }
}
