import { longestRun } from './character-masks.js';
import {
  addToHash,
  bucketOf,
  category,
  categoryWeight,
  type FeatureTable,
  findInLexicon,
  hashSeed,
  isDigit,
  lexiconWeight,
} from './feature-table.js';
import { boundary, maxCodes } from './fold-to-ascii.js';

/** The longest n-gram, boundaries included. */
export const maxNgramLength = 6;
/** N-grams of this length or more count only if they are in the lexicon. */
export const minLexiconLength = 4;
/** A letter is covered by a known n-gram of at least this length. */
const minCoveringLength = 5;

/** The last features of `readNgrams` measure coverage. */
export const coverageFeatures = 3;

/** Statistics of the text that `readNgrams` read last. */
export const lastNgrams = {
  trigramSum: 0,
  lexiconSum: 0,
  /** Letters that no known n-gram of five or more covers. */
  uncovered: 0,
  /** Letters that start an unknown n-gram of four. */
  unknown4grams: 0,
  /** Known n-grams of six. */
  known6grams: 0,
  /** The longest run of letters that no known n-gram of four or more covers. */
  unknownRun: 0,
};

/**
 * Writes the weights of the trigrams, of the known longer n-grams within a word, and of the coverage, and returns their
 * number. Pronounceable random text has common trigrams, but few known longer n-grams.
 */
export function readNgrams(codes: Uint16Array, length: number, table: FeatureTable, weights: Int32Array): number {
  const { lexicon, training } = table;
  let count = 0;
  let letters = 0;
  let uncovered = 0;
  let unknown4grams = 0;
  let known6grams = 0;
  let coveredTo = 0;
  let touchedTo = 0;
  let untouched = 0;
  let trigramSum = 0;
  let lexiconSum = 0;
  let second = codes[0] as number;
  let third = codes[1] as number;
  for (let start = 0; start < length - 2; start++) {
    const first = second;
    second = third;
    third = codes[start + 2] as number;
    const isLetter = first !== boundary && !isDigit(first);
    if (isLetter) letters++;
    let end = start + 2;
    if (second !== boundary) {
      end++;
      let hash = addToHash(addToHash(addToHash(hashSeed, first), second), third);
      const trigram = table.weights[bucketOf(hash)] as number;
      weights[count++] = trigram;
      trigramSum += trigram;
      for (let last = third; last !== boundary && end < start + maxNgramLength; end++) {
        last = codes[end] as number;
        hash = addToHash(hash, last);
        const bucket = findInLexicon(lexicon, hash);
        if (bucket < 0) {
          if (end - start < minLexiconLength && isLetter) unknown4grams++;
          break;
        }
        const weight = lexiconWeight(bucket, lexicon, training);
        weights[count++] = weight;
        lexiconSum += weight;
      }
    }
    if (end - start === maxNgramLength) known6grams++;
    if (end - start >= minCoveringLength && end > coveredTo) coveredTo = end;
    if (end - start >= minLexiconLength && end > touchedTo) touchedTo = end;
    if (!isLetter) continue;
    if (start >= coveredTo) uncovered++;
    if (start >= touchedTo) untouched |= 1 << start;
  }
  lastNgrams.trigramSum = trigramSum;
  lastNgrams.lexiconSum = lexiconSum;
  lastNgrams.uncovered = Math.min(16, uncovered);
  lastNgrams.unknown4grams = Math.min(16, unknown4grams);
  lastNgrams.known6grams = Math.min(16, known6grams);
  lastNgrams.unknownRun = longestRun(untouched);
  const size = Math.min(24, letters);
  weights[count++] = categoryWeight(table, category.uncoveredLetters, lastNgrams.uncovered * 32 + size);
  weights[count++] = categoryWeight(table, category.unknown4grams, lastNgrams.unknown4grams * 32 + size);
  weights[count++] = categoryWeight(table, category.known6grams, lastNgrams.known6grams * 32 + size);
  return count;
}

/** Words and n-grams of the same letters have different hashes. */
export const wordHashSeed = 0x2f0b4a27;
export const minWordLength = 4;

/** Looks up each word in the lexicon, whole and without its first or last letter, which may be an initial. */
export function readWords(
  codes: Uint16Array,
  length: number,
  table: FeatureTable,
  weights: Int32Array,
  offset: number,
): number {
  let count = offset;
  for (let start = 1, end = 1; start < length; start = end + 1) {
    let whole = wordHashSeed;
    let withoutFirst = wordHashSeed;
    let withoutLast = wordHashSeed;
    for (end = start; end < length; end++) {
      const code = codes[end] as number;
      if (endsWord(code)) break;
      withoutLast = whole;
      whole = addToHash(whole, code);
      if (end > start) withoutFirst = addToHash(withoutFirst, code);
    }
    const letters = end - start;
    if (letters < minWordLength) continue;
    const wordBucket = findInLexicon(table.lexicon, whole);
    if (wordBucket >= 0) weights[count++] = lexiconWeight(wordBucket, table.lexicon, table.training);
    const partBucket = letters > minWordLength ? findEither(table.lexicon, withoutFirst, withoutLast) : -1;
    if (partBucket >= 0) weights[count++] = lexiconWeight(partBucket, table.lexicon, table.training);
    weights[count++] = categoryWeight(
      table,
      category.knownWord,
      Math.min(12, letters) * 4 + (wordBucket >= 0 ? 1 : 0) + (partBucket >= 0 ? 2 : 0),
    );
  }
  return count;
}

/** Codes with digits read as letters (leet): 1 as `i`, and 1 as `l`. Reused, since reading is synchronous. */
export const leetCodes = new Uint16Array(maxCodes);
const leetCodesWithL = new Uint16Array(maxCodes);

/** Looks up each word in the lexicon, with its digits read as the letters that they look like. */
export function readLeetWords(
  codes: Uint16Array,
  length: number,
  table: FeatureTable,
  weights: Int32Array,
  offset: number,
): number {
  const end = trailingNumberStart(codes, length);
  replaceDigits(leetCodes, codes, length, end, 'oizeasgtbg');
  replaceDigits(leetCodesWithL, codes, length, end, 'olzeasgtbg');
  let count = offset;
  for (let start = 1, wordEnd = 1; start < length; start = wordEnd + 1) {
    wordEnd = start;
    while (wordEnd < length && !endsWord(leetCodes[wordEnd] as number)) wordEnd++;
    if (wordEnd - start < minWordLength) continue;
    const [withI, withL] = [hashWord(leetCodes, start, wordEnd), hashWord(leetCodesWithL, start, wordEnd)];
    const wordBucket = findEither(table.lexicon, withI, withL);
    if (wordBucket >= 0) weights[count++] = lexiconWeight(wordBucket, table.lexicon, table.training);
    weights[count++] = categoryWeight(
      table,
      category.knownLeetWord,
      Math.min(12, wordEnd - start) * 2 + (wordBucket >= 0 ? 1 : 0),
    );
  }
  return count;
}

function findEither(lexicon: Uint16Array, one: number, other: number): number {
  const bucket = findInLexicon(lexicon, one);
  return bucket >= 0 ? bucket : findInLexicon(lexicon, other);
}

function endsWord(code: number): boolean {
  return code === boundary || isDigit(code);
}

function hashWord(codes: Uint16Array, start: number, end: number): number {
  let hash = wordHashSeed;
  for (let index = start; index < end; index++) hash = addToHash(hash, codes[index] as number);
  return hash;
}

/** Two or more digits at the end are a number, not letters. */
function trailingNumberStart(codes: Uint16Array, length: number): number {
  let end = length - 1;
  while (end > 1 && isDigit(codes[end - 1] as number)) end--;
  return end < length - 2 ? end : length;
}

/** Copies the codes; a digit before `end` becomes the letter at its index in `letters`. */
function replaceDigits(target: Uint16Array, codes: Uint16Array, length: number, end: number, letters: string): void {
  for (let index = 0; index < length; index++) {
    const code = codes[index] as number;
    target[index] = index < end && isDigit(code) ? letters.charCodeAt(code - 48) : code;
  }
}
