import type { Clock } from '../../async/clock.js';
import { type CharacterMasks, longestRun, popCount } from './character-masks.js';
import { category, categoryWeight, type FeatureTable, isDigit } from './feature-table.js';

/** The longest period to search for, and the maximum number of distinct letters of a periodic text. */
const maxPeriod = 4;

const zero = 48;

/** The digits of the first number of the local part read last, if it is long, next to a name and not a date; otherwise 0. */
export const lastNumber = { digits: 0 };

/** Features of letters and words: counts, vowel ratio, repetition, and runs of neighboring keys. */
export function readLetterFeatures(
  masks: CharacterMasks,
  table: FeatureTable,
  weights: Int32Array,
  offset: number,
): number {
  const { vowels, consonants, digits, boundaries, rightwards, leftwards, repeats } = masks;
  let count = offset;
  const { letterCount: letters, digitCount: numbers, wordCount: words } = masks;
  const length = 32 - Math.clz32(boundaries | vowels | consonants | digits);
  const total = length - words;
  const size = Math.min(24, letters);
  const vowelTenths = vowelRatio(popCount(vowels), letters);
  const nonHex = popCount(masks.nonHex);
  const straight = Math.min(8, Math.max(longestRun(rightwards), longestRun(leftwards)));
  const adjacent = Math.round((8 * popCount(rightwards | leftwards | repeats)) / Math.max(1, total));
  weights[count++] = categoryWeight(table, category.longestWord, longestWord(masks) * 8 + Math.min(5, words));
  weights[count++] = categoryWeight(table, category.characterGroups, groupsIn(masks) * 32 + Math.min(16, total));
  weights[count++] = categoryWeight(table, category.consonantRun, Math.min(8, longestRun(consonants)) * 32 + size);
  weights[count++] = categoryWeight(table, category.vowelRatio, vowelTenths * 32 + size);
  weights[count++] = categoryWeight(table, category.nonHexLetters, Math.min(12, nonHex) * 16 + Math.min(12, numbers));
  weights[count++] = categoryWeight(table, category.repeatRun, Math.min(6, longestRun(repeats)));
  weights[count++] = categoryWeight(table, category.distinctLetters, popCount(masks.letterSet) * 32 + size);
  weights[count++] = categoryWeight(table, category.keyboardRun, straight * 32 + Math.min(16, total));
  weights[count++] = categoryWeight(table, category.neighboringKeys, adjacent * 32 + Math.min(16, total));
  return count;
}

/** Features of digits: counts, repetition, sequences, a year at the end, and the first number. */
export function readDigitFeatures(
  masks: CharacterMasks,
  codes: Uint16Array,
  length: number,
  table: FeatureTable,
  weights: Int32Array,
  offset: number,
  clock: Clock,
): number {
  const { vowels, digits, rightwards, leftwards, repeats, letterCount: letters, digitCount } = masks;
  let count = offset;
  lastNumber.digits = 0;
  const numbers = Math.min(12, digitCount);
  const isOnlyDigits = letters === 0 && masks.boundaries === 1 << digitCount ? 1 : 0;
  const ascending = popCount(digits & rightwards) > 2 ? 2 : 0;
  const straight = Math.min(8, longestRun((rightwards | leftwards) & digits));
  const start = firstBit(digits);
  const run = firstBit(~(digits >>> start));
  // Counters pad with zeros; people write a leading zero only in a month.
  const padding = run >= 3 && codes[start + 1] === zero ? (codes[start + 2] === zero ? 8 : 4) : 0;
  const year = endsInYear(codes, length, clock) ? 1 : 0;
  weights[count++] = categoryWeight(
    table,
    category.digitRun,
    Math.min(12, longestRun(digits)) * 16 + year + ascending + padding,
  );
  weights[count++] = categoryWeight(table, category.digitsAndLetters, numbers * 32 + Math.min(20, letters));
  weights[count++] = categoryWeight(
    table,
    category.digitsAndVowels,
    numbers * 16 + vowelRatio(popCount(vowels), letters),
  );
  weights[count++] = categoryWeight(
    table,
    category.repeatedDigits,
    (Math.min(6, longestRun(repeats & digits)) * 16 + numbers) * 2 + isOnlyDigits,
  );
  weights[count++] = categoryWeight(table, category.digitSequence, (straight * 16 + numbers) * 2 + isOnlyDigits);
  weights[count++] = categoryWeight(
    table,
    category.digitTransitions,
    Math.min(10, digitTransitions(masks)) * 16 + numbers,
  );
  weights[count++] = categoryWeight(
    table,
    category.distinctDigits,
    (popCount(masks.digitSet) * 16 + numbers) * 2 + isOnlyDigits,
  );
  if (run >= 5) {
    const size = Math.min(15, run);
    // The first two digits tell a timestamp or a year from other numbers.
    weights[count++] = categoryWeight(table, category.firstDigits, pairAt(codes, start) * 16 + size);
    const isBirthday = isDate(codes, start, run);
    weights[count++] = categoryWeight(
      table,
      category.longNumber,
      (Math.min(4, letters) * 2 + (isBirthday ? 1 : 0)) * 16 + size,
    );
    if (!isBirthday && run >= 6 && letters >= 3) lastNumber.digits = size;
  }
  // The positions of the digits, for names of up to ten characters.
  if (length <= 12) weights[count++] = categoryWeight(table, category.digitPositions, digits | (1 << (length - 2)));
  return count;
}

/** The index of the lowest set bit, -1 for none. */
function firstBit(mask: number): number {
  return 31 - Math.clz32(mask & -mask);
}

/** The two digits at an index as a number. */
function pairAt(codes: Uint16Array, index: number): number {
  return (codes[index + 1] as number) * 10 + (codes[index + 2] as number) - 528;
}

/** Six to eight digits that are a date in any common order, with or without leading zeros. */
function isDate(codes: Uint16Array, start: number, run: number): boolean {
  if (run < 6 || run > 8) return false;
  const first = pairAt(codes, start);
  const second = pairAt(codes, start + 2);
  const third = pairAt(codes, start + 4);
  if (run === 7) return isCentury(pairAt(codes, start + 3)) ? isShortDate(codes, start) : isCentury(first) && third > 0;
  if (run === 6)
    return isDayAndMonth(first, second) || isDayAndMonth(third, second) || (isCentury(second) && first > 10);
  if (isCentury(third) && isDayAndMonth(first, second)) return true;
  return isCentury(first) && isDayAndMonth(third, pairAt(codes, start + 6));
}

/** Three digits that are a day and a month, one of them without a leading zero. */
function isShortDate(codes: Uint16Array, start: number): boolean {
  const first = pairAt(codes, start);
  const last = pairAt(codes, start + 1);
  return isDayAndMonth(first, last % 10) || isDayAndMonth(Math.floor(first / 10), last);
}

/** A day and a month, in either order. */
function isDayAndMonth(one: number, other: number): boolean {
  return one > 0 && other > 0 && Math.min(one, other) <= 12 && Math.max(one, other) <= 31;
}

function isCentury(pair: number): boolean {
  return pair === 19 || pair === 20;
}

/** The period at which a text of few distinct letters repeats most, and how much of it repeats. */
export function readPeriod(
  masks: CharacterMasks,
  codes: Uint16Array,
  length: number,
  table: FeatureTable,
  weights: Int32Array,
  offset: number,
): number {
  if (length < 7 || popCount(masks.letterSet) > maxPeriod) return offset;
  let period = 0;
  let highest = -1;
  for (let distance = 1; distance <= maxPeriod; distance++) {
    let same = 0;
    for (let index = distance + 1; index < length - 1; index++) if (codes[index] === codes[index - distance]) same++;
    const share = Math.floor((8 * same) / (length - 2 - distance));
    if (share <= highest) continue;
    highest = share;
    period = distance;
  }
  weights[offset] = categoryWeight(table, category.period, (period * 16 + highest) * 16 + Math.min(12, length - 2));
  return offset + 1;
}

/** Counts transitions between digits and other characters. */
export function digitTransitions({ digits }: CharacterMasks): number {
  return popCount((digits ^ (digits << 1)) & ~1);
}

/** Whether a digit follows a letter, and a letter a digit. */
export function mixesDigits({ vowels, consonants, digits }: CharacterMasks): boolean {
  const letters = vowels | consonants;
  return (digits & (letters << 1)) !== 0 && (letters & (digits << 1)) !== 0;
}

/** The share of vowels in tenths; 15 if there are no letters. */
function vowelRatio(vowels: number, letters: number): number {
  return letters === 0 ? 15 : Math.round((10 * vowels) / letters);
}

function longestWord({ boundaries }: CharacterMasks): number {
  const last = 31 - Math.clz32(boundaries);
  return boundaries === 0 ? 31 : Math.min(20, longestRun(~boundaries & ((1 << last) - 1)));
}

/** The number of letter groups and of digit groups, and whether a digit comes first. */
function groupsIn({ vowels, consonants, digits }: CharacterMasks): number {
  const letters = vowels | consonants;
  const letterGroups = popCount(letters & ~(letters << 1));
  const digitGroups = popCount(digits & ~(digits << 1));
  return (Math.min(7, letterGroups) * 8 + Math.min(7, digitGroups)) * 2 + (digits & 1);
}

/** Whether the last four characters are a year from 1940 to the current one. */
function endsInYear(codes: Uint16Array, length: number, clock: Clock): boolean {
  if (length < 6) return false;
  let year = 0;
  for (let index = length - 5; index < length - 1; index++) {
    const code = codes[index] as number;
    if (!isDigit(code)) return false;
    year = year * 10 + code - 48;
  }
  return year >= 1940 && year <= new Date(clock.now()).getUTCFullYear();
}
