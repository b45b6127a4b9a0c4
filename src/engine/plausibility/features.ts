import { isDigit, noted, type Table } from './feature-index.js';
import { boundary, foldInto, lastFold, maxCodes } from './fold-to-ascii.js';
import { lastGrams, readNgrams } from './ngrams.js';
import { lastNumber, mixesDigits, readDigits, readLetters, readPeriod, turnsOf } from './penalties.js';
import { bitsIn, patternsOf, readShape, type ShapeFeatures } from './shape-features.js';
import { readDigitsAsLetters, readWords, withI } from './words.js';

/** No local part has more features than this. */
export const maxFeatures = maxCodes * 7 + 32;

/** Spans of letters, each of which has a line of its own from weights to log-odds: up to 5, 7, 10, and more. */
export const spanCount = 4;

/** Of the local part read last: its span, where in `told` each kind of features ends, and what counts it, all in all. */
export const lastRead = {
  span: 0,
  grams: 0,
  words: 0,
  patterns: 0,
  letters: 0,
  /** What its short and its long n-grams say. */
  short: 0,
  long: 0,
  uncovered: 0,
  strange: 0,
  whole: 0,
  /** How many letters in a row no known n-gram covers. */
  alien: 0,
  letterCount: 0,
  digitCount: 0,
  /** How many digits a long number has that is no day and stands beside a name. */
  longNumber: 0,
  /** From digits to others or back. */
  turns: 0,
  /** From a digit to a letter. */
  inner: 0,
  wordCount: 0,
  oddCount: 0,
  /** What its n-grams say with its digits read as letters, and how many are then unknown. */
  asLetters: 0,
  strangeAsLetters: 0,
  /** How many more known n-grams of six it has without its separators, and how many words of one letter or two. */
  rejoined: 0,
  shortWords: 0,
};

const digit = 48;

/** Reused, since reading is synchronous. In `grams` a number is one digit, so that `jane84` and `jane1991` share their n-grams. */
const codes = new Uint16Array(maxCodes);
const grams = new Uint16Array(maxCodes);

/** What other readings than the plain one say, which only counts all in all. */
const otherwise = new Int32Array(maxFeatures);

/**
 * Writes what a local part's features say into `told` and returns their number: its character n-grams, its words, the pattern of
 * vowels and consonants, and what is remarkable about it as a whole. Training and inference both read through here.
 */
export function readFeatures(localPart: string, table: Table, told: Int32Array): number {
  const length = foldInto(codes, localPart);
  let count = lastFold.digits
    ? readNgrams(grams, blurInto(grams, codes, length, true), table, told)
    : readNgrams(codes, length, table, told);
  lastRead.grams = count;
  lastRead.short = lastGrams.short;
  lastRead.long = lastGrams.long;
  lastRead.uncovered = lastGrams.uncovered;
  lastRead.strange = lastGrams.strange;
  lastRead.whole = lastGrams.whole;
  lastRead.alien = lastGrams.alien;
  count = readWords(codes, length, table, told, count);
  lastRead.words = count;
  const outline = readShape(codes, length, table, told, count);
  count += patternsOf(length);
  lastRead.patterns = count;
  const { vowels, consonants, digits } = outline;
  lastRead.letterCount = outline.letterCount;
  lastRead.digitCount = outline.digitCount;
  lastRead.wordCount = outline.wordCount;
  lastRead.span = spanOf(outline.letterCount);
  count = readPeriod(outline, codes, length, table, told, readLetters(outline, table, told, count));
  lastRead.letters = count;
  lastRead.turns = digits === 0 ? 0 : turnsOf(outline);
  lastRead.inner = digits === 0 ? 0 : bitsIn((digits << 1) & (vowels | consonants));
  if (digits !== 0) count = readDigits(outline, codes, length, table, told, count);
  lastRead.longNumber = digits === 0 ? 0 : lastNumber.beside;
  if (mixesDigits(outline)) count = readMixed(length, table, told, count);
  else lastRead.asLetters = lastRead.strangeAsLetters = 0;
  lastRead.shortWords = lastRead.wordCount > 2 ? shortWords(outline) : 0;
  lastRead.rejoined = lastRead.shortWords > 1 ? readRejoined(length, table) : 0;
  const odd = oddCharacters(outline, length);
  lastRead.oddCount = odd;
  if (odd > 0) told[count++] = noted(table, 25, Math.min(3, odd));
  const capitals = lastFold.capitals ? capitalsWithin(localPart) : 0;
  if (capitals >= 2) told[count++] = noted(table, 18, Math.min(6, capitals));
  return count;
}

/** The words, and then the n-grams of those with a letter behind a digit, with digits read as letters. */
function readMixed(length: number, table: Table, told: Int32Array, already: number): number {
  const count = readDigitsAsLetters(codes, length, table, told, already);
  let end = 1;
  let mixed = false;
  let from = 1;
  for (let at = 1; at < length; at++) {
    const code = codes[at] as number;
    withI[end++] = withI[at] as number;
    if (code !== boundary) mixed ||= !isDigit(code) && isDigit(codes[at - 1] as number);
    else if (mixed) from = end;
    else end = from;
    if (code === boundary) mixed = false;
  }
  readNgrams(grams, blurInto(grams, withI, end, true), table, otherwise);
  lastRead.asLetters = lastGrams.short + lastGrams.long;
  lastRead.strangeAsLetters = lastGrams.strange;
  return count;
}

/** How many words have one letter or two. */
function shortWords({ boundaries }: ShapeFeatures): number {
  // The boundary before the first word has no place of its own.
  const starts = (boundaries << 1) | 1;
  return bitsIn(boundaries & ((starts << 1) | (starts << 2)));
}

/** How many more n-grams of six are known without separators: a name into which dots were strewn has some. */
function readRejoined(length: number, table: Table): number {
  readNgrams(grams, blurInto(grams, codes, length, false), table, otherwise);
  return Math.max(0, lastGrams.whole - lastRead.whole);
}

function spanOf(letters: number): number {
  if (letters <= 7) return letters <= 5 ? 0 : 1;
  return letters <= 10 ? 2 : 3;
}

/** Writes the codes with one code for each run of digits, with or without the boundaries between words; returns how many there are. */
export function blurInto(read: Uint16Array, from: Uint16Array, length: number, words: boolean): number {
  let end = 1;
  let last = boundary;
  read[0] = boundary;
  for (let at = 1; at < length; at++) {
    const code = from[at] as number;
    const next = isDigit(code) ? digit : code;
    if (next === boundary ? !words && at < length - 1 : next === digit && last === digit) continue;
    read[end++] = next;
    last = next;
  }
  return end;
}

const apostrophe = 39;

/** How many characters are neither letters, digits, separators nor the apostrophe of `o'brien`: people hardly ever use one. */
function oddCharacters({ letterCount, digitCount, wordCount }: ShapeFeatures, length: number): number {
  if (letterCount + digitCount + wordCount === length - 1) return 0;
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
