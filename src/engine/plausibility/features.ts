import { boundary, foldInto, maxCodes } from './fold.js';
import { distinct, readKeys } from './keys.js';
import { isDigit, longSlotOf, noteSlot, slotOf } from './slots.js';

export { longSlots, tableSize } from './slots.js';

/** No local part has more features than this. */
export const maxFeatures = maxCodes * 9 + 24;

const longest = 5;
const digit = 48;

/** Reused, since reading is synchronous. In `grams` all digits are one, so that `jane84` and `jane91` share their n-grams. */
const codes = new Uint16Array(maxCodes);
const grams = new Uint16Array(maxCodes);

/**
 * Writes the slots of a local part's features into `slots` and returns their number: its character n-grams, its words, the
 * pattern of vowels and consonants, and what is remarkable about it as a whole. Training and inference both read through here.
 */
export function readFeatures(localPart: string, slots: Uint32Array): number {
  const length = foldInto(codes, localPart);
  const digits = blurDigits(length);
  let count = readNgrams(length, slots);
  count = readWords(length, slots, count);
  count = readPattern(length, slots, count);
  count = readLetters(length, digits, slots, count);
  slots[count++] = digitsSlot(length, digits);
  count = readKeys(codes, length, digits, slots, count);
  const capitals = capitalsWithin(localPart);
  if (capitals >= 2) slots[count++] = noteSlot(18, Math.min(6, capitals));
  return count;
}

/** How often a capital follows a small letter: once in `McDonald`, again and again in an identifier. */
function capitalsWithin(localPart: string): number {
  let capitals = 0;
  let small = false;
  for (let index = 0; index < localPart.length; index++) {
    const code = localPart.charCodeAt(index);
    if (small && code >= 65 && code <= 90) capitals++;
    small = code >= 97 && code <= 122;
  }
  return capitals;
}

/** N-grams of order 1 to 5, each within one word and its boundaries. */
function readNgrams(length: number, slots: Uint32Array): number {
  let count = 0;
  for (let start = 0; start < length - 1; start++) {
    const end = Math.min(start + longest, length);
    let hash = 0x811c9dc5;
    for (let at = start; at < end; at++) {
      const code = grams[at] as number;
      hash = Math.imul(hash ^ code, 0x01000193);
      if (at === start && code === boundary) continue;
      slots[count++] = at - start < 3 ? slotOf(hash) : longSlotOf(hash);
      if (code === boundary) break;
    }
  }
  return count;
}

/** Each word of 4 letters or more, whole and by its beginnings and ends, so that `jsmithson` counts as the surname it holds. */
function readWords(length: number, slots: Uint32Array, already: number): number {
  let count = already;
  let start = 1;
  for (let at = 1; at < length; at++) {
    const code = codes[at] as number;
    if (code !== boundary && !isDigit(code)) continue;
    if (at - start >= 4) count = readWord(start, at, slots, count);
    start = at + 1;
  }
  return count;
}

const shortestPart = 5;
const longestPart = 9;

function readWord(start: number, end: number, slots: Uint32Array, already: number): number {
  let count = already;
  let hash = 0x2f0b4a27;
  for (let at = start; at < end; at++) {
    hash = Math.imul(hash ^ (codes[at] as number), 0x01000193);
    const letters = at + 1 - start;
    if (letters >= shortestPart && letters <= longestPart && at + 1 < end) slots[count++] = longSlotOf(hash ^ 0x51ed27);
  }
  slots[count++] = longSlotOf(hash);
  hash = 0x6a09e667;
  for (let at = end - 1; at > start && end - at <= longestPart; at--) {
    hash = Math.imul(hash ^ (codes[at] as number), 0x01000193);
    if (end - at >= shortestPart) slots[count++] = longSlotOf(hash);
  }
  return count;
}

const other = 0;
const vowel = 1;
const consonant = 2;
const number = 3;

/** Kind of each ASCII code; `y` is a vowel, as in most names. */
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  if (isDigit(code)) return number;
  if (code < 97 || code > 122) return other;
  return 'aeiouy'.includes(String.fromCharCode(code)) ? vowel : consonant;
});

/** How vowels, consonants and digits follow each other, six at a time; the number and length of words. */
function readPattern(length: number, slots: Uint32Array, already: number): number {
  let count = already;
  let words = 0;
  let wordLength = 0;
  let longestWord = 0;
  let total = 0;
  let outline = 1;
  let previousPart = -1;
  let window = 0;
  for (let at = 1; at < length; at++) {
    const code = codes[at] as number;
    const kind = kindOf(code);
    window = ((window << 2) | kind) & 0xfff;
    if (at >= 4) slots[count++] = slotOf(Math.imul(window + 1, 0x2545f491) ^ 0x1234567);
    const part = code === boundary ? 0 : kind === number ? 1 : 2;
    if (part !== previousPart) outline = Math.imul(outline, 31) + part + 1;
    previousPart = part;
    if (code === boundary) {
      words++;
      wordLength = 0;
      continue;
    }
    total++;
    if (++wordLength > longestWord) longestWord = wordLength;
  }
  slots[count++] = noteSlot(1, Math.min(24, total));
  slots[count++] = noteSlot(2, Math.min(20, longestWord) * 8 + Math.min(5, words));
  slots[count++] = noteSlot(3, outline);
  return count;
}

/** How many letters there are and of what kind, how they repeat, and how many digits stand beside them. */
function readLetters(length: number, digits: number, slots: Uint32Array, already: number): number {
  let count = already;
  let vowels = 0;
  let letters = 0;
  let hexLetters = 0;
  let seen = 0;
  let consonantRun = 0;
  let longestConsonants = 0;
  let sameRun = 1;
  let longestSame = 1;
  for (let at = 1; at < length; at++) {
    const code = codes[at] as number;
    const kind = kindOf(code);
    sameRun = code === codes[at - 1] ? sameRun + 1 : 1;
    if (sameRun > longestSame) longestSame = sameRun;
    consonantRun = kind === consonant ? consonantRun + 1 : 0;
    if (consonantRun > longestConsonants) longestConsonants = consonantRun;
    if (kind !== vowel && kind !== consonant) continue;
    letters++;
    if (kind === vowel) vowels++;
    if (code <= 102) hexLetters++;
    seen |= 1 << (code - 97);
  }
  const share = letters === 0 ? 15 : Math.round((10 * vowels) / letters);
  const beyondHex = letters - hexLetters;
  slots[count++] = noteSlot(4, Math.min(8, longestConsonants) * 32 + Math.min(20, letters));
  slots[count++] = noteSlot(6, share * 32 + Math.min(20, letters));
  slots[count++] = noteSlot(7, digits > 0 || beyondHex > 0 ? Math.min(12, beyondHex) * 16 + Math.min(12, digits) : 999);
  slots[count++] = noteSlot(8, Math.min(6, longestSame));
  slots[count++] = noteSlot(9, Math.min(16, distinct(seen)) * 32 + Math.min(24, letters));
  slots[count++] = noteSlot(10, Math.min(12, digits) * 32 + Math.min(20, letters));
  slots[count++] = noteSlot(11, Math.min(8, digits) * 16 + share);
  return count;
}

/** Fills `grams`, and returns how many digits there are. */
function blurDigits(length: number): number {
  let digits = 0;
  for (let at = 0; at < length; at++) {
    const code = codes[at] as number;
    if (isDigit(code)) digits++;
    grams[at] = isDigit(code) ? digit : code;
  }
  return digits;
}

/** The longest run of digits, whether it counts upwards, and whether it ends in a year. */
function digitsSlot(length: number, digits: number): number {
  if (digits === 0) return noteSlot(5, 0);
  let run = 0;
  let longestRun = 0;
  let upwards = 0;
  for (let at = 1; at < length; at++) {
    const code = codes[at] as number;
    run = isDigit(code) ? run + 1 : 0;
    if (run > longestRun) longestRun = run;
    if (run > 0 && code === (codes[at - 1] as number) + 1) upwards++;
  }
  return noteSlot(5, Math.min(12, longestRun) * 4 + (endsInYear(length) ? 1 : 0) + (upwards > 2 ? 2 : 0));
}

function kindOf(code: number): number {
  return code < 128 ? (kinds[code] as number) : other;
}

/** The last four codes are digits that look like a year of birth. */
function endsInYear(length: number): boolean {
  if (length < 6) return false;
  let year = 0;
  for (let at = length - 5; at < length - 1; at++) {
    const code = codes[at] as number;
    if (!isDigit(code)) return false;
    year = year * 10 + code - 48;
  }
  return year >= 1940 && year <= 2026;
}
