import type { Clock } from '../../async/clock.js';
import { type CharacterMasks, patternsIn, popCount, readMasks } from './character-masks.js';
import { category, categoryWeight, type FeatureTable, isDigit } from './feature-table.js';
import { boundary, foldInto, lastFold, maxCodes } from './fold-to-ascii.js';
import { lastNgrams, leetCodes, readLeetWords, readNgrams, readWords } from './lexical-features.js';
import {
  digitTransitions,
  lastNumber,
  mixesDigits,
  readDigitFeatures,
  readLetterFeatures,
  readPeriod,
} from './shape-features.js';

/** No local part has more features than this. */
export const maxFeatures = maxCodes * 7 + 32;

/** Local parts are calibrated by number of letters: up to 5, 7, 10, and more. */
export const lengthBucketCount = 4;

/** Statistics of the local part read last, and the end of each kind of feature in the array of weights. */
export const lastSummary = {
  lengthBucket: 0,
  ngramEnd: 0,
  wordEnd: 0,
  patternEnd: 0,
  letterEnd: 0,
  ...lastNgrams,
  letterCount: 0,
  digitCount: 0,
  wordCount: 0,
  /** Digits of a long number next to a name that is not a date. */
  longNumber: 0,
  /** Transitions between digits and other characters. */
  transitions: 0,
  lettersAfterDigits: 0,
  unusualCount: 0,
  /** The n-grams with digits read as letters: the sum of their weights, and how many of four are unknown. */
  leetSum: 0,
  leetUnknown4grams: 0,
  /** How many more n-grams of six are known without separators. */
  joined6grams: 0,
  /** Words of one or two letters. */
  shortWords: 0,
};

const digit = 48;

/** Reused, since reading is synchronous. In `ngramCodes` a number is one digit, so that `jane84` and `jane1991` share n-grams. */
const codes = new Uint16Array(maxCodes);
const ngramCodes = new Uint16Array(maxCodes);

/** Weights that count only by their sum. */
const discarded = new Int32Array(maxFeatures);

/** Writes the weights of all features of a local part and returns their number. Training and inference share this function. */
export function readFeatures(localPart: string, table: FeatureTable, weights: Int32Array, clock: Clock): number {
  const length = foldInto(codes, localPart);
  let count = lastFold.digits
    ? readNgrams(ngramCodes, collapseDigits(ngramCodes, codes, length, true), table, weights)
    : readNgrams(codes, length, table, weights);
  lastSummary.ngramEnd = count;
  lastSummary.trigramSum = lastNgrams.trigramSum;
  lastSummary.lexiconSum = lastNgrams.lexiconSum;
  lastSummary.uncovered = lastNgrams.uncovered;
  lastSummary.unknown4grams = lastNgrams.unknown4grams;
  lastSummary.known6grams = lastNgrams.known6grams;
  lastSummary.unknownRun = lastNgrams.unknownRun;
  count = readWords(codes, length, table, weights, count);
  lastSummary.wordEnd = count;
  const masks = readMasks(codes, length, table, weights, count);
  count += patternsIn(length);
  lastSummary.patternEnd = count;
  const { vowels, consonants, digits } = masks;
  lastSummary.letterCount = masks.letterCount;
  lastSummary.digitCount = masks.digitCount;
  lastSummary.wordCount = masks.wordCount;
  lastSummary.lengthBucket = lengthBucketOf(masks.letterCount);
  count = readPeriod(masks, codes, length, table, weights, readLetterFeatures(masks, table, weights, count));
  lastSummary.letterEnd = count;
  lastSummary.transitions = digits === 0 ? 0 : digitTransitions(masks);
  lastSummary.lettersAfterDigits = digits === 0 ? 0 : popCount((digits << 1) & (vowels | consonants));
  if (digits !== 0) count = readDigitFeatures(masks, codes, length, table, weights, count, clock);
  lastSummary.longNumber = digits === 0 ? 0 : lastNumber.digits;
  if (mixesDigits(masks)) count = readLeet(length, table, weights, count);
  else lastSummary.leetSum = lastSummary.leetUnknown4grams = 0;
  lastSummary.shortWords = lastSummary.wordCount > 2 ? countShortWords(masks) : 0;
  lastSummary.joined6grams = lastSummary.shortWords > 1 ? countJoined6grams(length, table) : 0;
  const unusual = countUnusual(masks, length);
  lastSummary.unusualCount = unusual;
  if (unusual > 0) weights[count++] = categoryWeight(table, category.unusualCharacters, Math.min(3, unusual));
  const capitals = lastFold.capitals ? countInnerCapitals(localPart) : 0;
  if (capitals >= 2) weights[count++] = categoryWeight(table, category.innerCapitals, Math.min(6, capitals));
  return count;
}

/** Reads words with digits as letters, and the n-grams of those words that have a letter after a digit. */
function readLeet(length: number, table: FeatureTable, weights: Int32Array, offset: number): number {
  const count = readLeetWords(codes, length, table, weights, offset);
  let end = 1;
  let isMixed = false;
  let wordStart = 1;
  for (let index = 1; index < length; index++) {
    const code = codes[index] as number;
    leetCodes[end++] = leetCodes[index] as number;
    if (code !== boundary) isMixed ||= !isDigit(code) && isDigit(codes[index - 1] as number);
    else if (isMixed) wordStart = end;
    else end = wordStart;
    if (code === boundary) isMixed = false;
  }
  readNgrams(ngramCodes, collapseDigits(ngramCodes, leetCodes, end, true), table, discarded);
  lastSummary.leetSum = lastNgrams.trigramSum + lastNgrams.lexiconSum;
  lastSummary.leetUnknown4grams = lastNgrams.unknown4grams;
  return count;
}

function countShortWords({ boundaries }: CharacterMasks): number {
  // The mask has no bit for the boundary before the first word.
  const starts = (boundaries << 1) | 1;
  return popCount(boundaries & ((starts << 1) | (starts << 2)));
}

/** Greater than 0 for a name with random separators inserted. */
function countJoined6grams(length: number, table: FeatureTable): number {
  readNgrams(ngramCodes, collapseDigits(ngramCodes, codes, length, false), table, discarded);
  return Math.max(0, lastNgrams.known6grams - lastSummary.known6grams);
}

function lengthBucketOf(letters: number): number {
  if (letters <= 7) return letters <= 5 ? 0 : 1;
  return letters <= 10 ? 2 : 3;
}

/** Copies the codes with each run of digits as one digit, with or without word boundaries; returns the new length. */
export function collapseDigits(target: Uint16Array, source: Uint16Array, length: number, boundaries: boolean): number {
  let end = 1;
  let last = boundary;
  target[0] = boundary;
  for (let index = 1; index < length; index++) {
    const code = source[index] as number;
    const next = isDigit(code) ? digit : code;
    if (next === boundary ? !boundaries && index < length - 1 : next === digit && last === digit) continue;
    target[end++] = next;
    last = next;
  }
  return end;
}

const apostrophe = 39;

/** Counts ASCII characters other than letters, digits, separators and the apostrophe of `o'brien`. */
function countUnusual({ letterCount, digitCount, wordCount }: CharacterMasks, length: number): number {
  if (letterCount + digitCount + wordCount === length - 1) return 0;
  let unusual = 0;
  for (let index = 1; index < length; index++) {
    const code = codes[index] as number;
    const isUsual = code === boundary || code === apostrophe || isDigit(code) || (code >= 97 && code <= 122);
    if (!isUsual && code < 128) unusual++;
  }
  return unusual;
}

/** Counts capitals after a lower-case letter: one in `McDonald`, several in an identifier. */
function countInnerCapitals(localPart: string): number {
  let capitals = 0;
  let isAfterLower = false;
  for (let index = 0; index < localPart.length; index++) {
    const code = localPart.charCodeAt(index);
    if (isAfterLower && code >= 65 && code <= 90) capitals++;
    isAfterLower = code >= 97 && code <= 122;
  }
  return capitals;
}
