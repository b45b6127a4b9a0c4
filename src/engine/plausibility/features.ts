import { boundary, foldInto, lastFold, maxCodes } from './fold.js';
import { coverageNotes, readNgrams } from './ngrams.js';
import { bitsIn, type Outline, patternsOf, readOutline } from './outline.js';
import { mixesDigits, readDigits, readLetters, turnsOf } from './remarks.js';
import { isDigit, noteSlot } from './slots.js';
import { readDigitsAsLetters, readWords } from './words.js';

/** No local part has more features than this. */
export const maxFeatures = maxCodes * 7 + 32;

/** Spans of letters, each of which has a line of its own from weights to log-odds: up to 5, 7, 10, and more. */
export const spanCount = 4;

/**
 * Of the local part read last: its span, where among the slots each kind of features ends, and how many letters, digits, turns from
 * digits to others or back, and words there are.
 */
export const lastRead = {
  span: 0,
  grams: 0,
  words: 0,
  patterns: 0,
  letters: 0,
  letterCount: 0,
  digitCount: 0,
  turns: 0,
  wordCount: 0,
  oddCount: 0,
};

const digit = 48;

/** Reused, since reading is synchronous. In `grams` all digits are one, so that `jane84` and `jane91` share their n-grams. */
const codes = new Uint16Array(maxCodes);
const grams = new Uint16Array(maxCodes);

/**
 * Writes the slots of a local part's features into `slots` and returns their number: its character n-grams, its words, the
 * pattern of vowels and consonants, and what is remarkable about it as a whole. `lexicon` tells which long n-grams and words are
 * known. Training and inference both read through here.
 */
export function readFeatures(localPart: string, lexicon: Uint16Array, slots: Uint32Array): number {
  const length = foldInto(codes, localPart);
  let count = readNgrams(lastFold.digits ? blurred(length) : codes, length, lexicon, slots);
  lastRead.grams = count - coverageNotes;
  count = readWords(codes, length, lexicon, slots, count);
  lastRead.words = count;
  const outline = readOutline(codes, length, slots, count);
  count += patternsOf(length);
  lastRead.patterns = count;
  const letters = bitsIn(outline.vowels | outline.consonants);
  lastRead.letterCount = letters;
  lastRead.digitCount = bitsIn(outline.digits);
  lastRead.turns = outline.digits === 0 ? 0 : turnsOf(outline);
  lastRead.wordCount = bitsIn(outline.boundaries);
  lastRead.span = spanOf(letters);
  count = readLetters(outline, slots, count);
  lastRead.letters = count;
  if (outline.digits !== 0) count = readDigits(outline, codes, length, slots, count);
  if (mixesDigits(outline)) count = readDigitsAsLetters(codes, length, lexicon, slots, count);
  const odd = oddCharacters(outline, length);
  lastRead.oddCount = odd;
  if (odd > 0) slots[count++] = noteSlot(25, Math.min(3, odd));
  const capitals = lastFold.capitals ? capitalsWithin(localPart) : 0;
  if (capitals >= 2) slots[count++] = noteSlot(18, Math.min(6, capitals));
  return count;
}

function spanOf(letters: number): number {
  if (letters <= 7) return letters <= 5 ? 0 : 1;
  return letters <= 10 ? 2 : 3;
}

function blurred(length: number): Uint16Array {
  for (let at = 0; at < length; at++) grams[at] = isDigit(codes[at] as number) ? digit : (codes[at] as number);
  return grams;
}

const apostrophe = 39;

/** How many characters are neither letters, digits, separators nor the apostrophe of `o'brien`: people hardly ever use one. */
function oddCharacters({ vowels, consonants, digits, boundaries }: Outline, length: number): number {
  if (bitsIn(vowels | consonants | digits | boundaries) === length - 1) return 0;
  let odd = 0;
  for (let at = 1; at < length; at++) {
    const code = codes[at] as number;
    const plain = code === boundary || code === apostrophe || isDigit(code) || (code >= 97 && code <= 122);
    if (!plain && code < 128) odd++;
  }
  return odd;
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
