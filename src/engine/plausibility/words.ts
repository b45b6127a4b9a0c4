import { boundary, maxCodes } from './fold.js';
import { hashOn, isDigit, knownSlot, noteSlot } from './slots.js';

/** The hash of a whole word is not that of an n-gram of the same letters. */
export const emptyWord = 0x2f0b4a27;
export const shortestWord = 4;

/** Each word of 4 letters or more as the lexicon knows it: whole, and without its first or last letter, which may be an initial. */
export function readWords(
  codes: Uint16Array,
  length: number,
  lexicon: Uint16Array,
  slots: Uint32Array,
  already: number,
): number {
  let count = already;
  for (let start = 1, end = 1; start < length; start = end + 1) {
    end = endOfWord(codes, start, length);
    const letters = end - start;
    if (letters < shortestWord) continue;
    const shortened = hashOfWord(codes, start, end - 1);
    const known = knownSlot(hashOn(shortened, codes[end - 1] as number), lexicon);
    if (known !== 0) slots[count++] = known;
    const initial = letters > shortestWord;
    const rest = initial ? knownSlot(hashOfWord(codes, start + 1, end), lexicon) || knownSlot(shortened, lexicon) : 0;
    if (rest !== 0) slots[count++] = rest;
    slots[count++] = noteSlot(22, Math.min(12, letters) * 4 + (known !== 0 ? 1 : 0) + (rest !== 0 ? 2 : 0));
  }
  return count;
}

/** Reused, since reading is synchronous: 1 is typed for `i`, and for `l` as well. */
const withI = new Uint16Array(maxCodes);
const withL = new Uint16Array(maxCodes);

/** Each word of 4 letters or more with its digits read as the letters that they look like: whether the lexicon knows it so. */
export function readDigitsAsLetters(
  codes: Uint16Array,
  length: number,
  lexicon: Uint16Array,
  slots: Uint32Array,
  already: number,
): number {
  lettersInto(withI, codes, length, 'oizeasgtbg');
  lettersInto(withL, codes, length, 'olzeasgtbg');
  let count = already;
  for (let start = 1, end = 1; start < length; start = end + 1) {
    end = endOfWord(withI, start, length);
    if (end - start < shortestWord) continue;
    const known =
      knownSlot(hashOfWord(withI, start, end), lexicon) || knownSlot(hashOfWord(withL, start, end), lexicon);
    if (known !== 0) slots[count++] = known;
    slots[count++] = noteSlot(24, Math.min(12, end - start) * 2 + (known !== 0 ? 1 : 0));
  }
  return count;
}

/** Where the letters end that begin here: at a boundary or at a digit. */
function endOfWord(codes: Uint16Array, start: number, length: number): number {
  let end = start;
  for (; end < length; end++) {
    const code = codes[end] as number;
    if (code === boundary || isDigit(code)) break;
  }
  return end;
}

function hashOfWord(codes: Uint16Array, start: number, end: number): number {
  let hash = emptyWord;
  for (let at = start; at < end; at++) hash = hashOn(hash, codes[at] as number);
  return hash;
}

/** The codes, and for 0 to 9 the letter at its place in `letters`. */
function lettersInto(read: Uint16Array, codes: Uint16Array, length: number, letters: string): void {
  for (let at = 0; at < length; at++) {
    const code = codes[at] as number;
    read[at] = isDigit(code) ? letters.charCodeAt(code - 48) : code;
  }
}
