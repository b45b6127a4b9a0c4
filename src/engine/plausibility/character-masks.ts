import { type FeatureTable, patternOffset } from './feature-table.js';
import { boundary } from './fold-to-ascii.js';

/** Bit masks over the characters of a local part: bit n is set if character n has the property. */
export interface CharacterMasks {
  vowels: number;
  consonants: number;
  digits: number;
  boundaries: number;
  /** The same as the previous character. */
  repeats: number;
  /** One key to the right, or to the left, of the previous character. */
  rightwards: number;
  leftwards: number;
  /** Letters that are not hexadecimal digits. */
  nonHex: number;
  /** The distinct letters and digits, a bit each. */
  letterSet: number;
  digitSet: number;
  letterCount: number;
  digitCount: number;
  wordCount: number;
}

/** Characters beyond the bits of a mask are ignored. */
const maxCharacters = 32;

/** Index of the character that completes the first pattern. */
const firstPatternEnd = 4;

const other = 0;
const vowel = 1;
const consonant = 2;
const digit = 3;

const keyRows = ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'];

/** The position of a key on a QWERTY keyboard: 16 × row + column; 255 if it has none. */
function keyOf(letter: string): number {
  const row = keyRows.findIndex((keys) => keys.includes(letter));
  return row < 0 ? 255 : row * 16 + (keyRows[row] ?? '').indexOf(letter);
}

/** `y` counts as a vowel, as in most names. */
function classOf(character: string): number {
  if (/\d/.test(character)) return digit;
  return /[aeiouy]/.test(character) ? vowel : /[a-z]/.test(character) ? consonant : other;
}

/** For each ASCII code: its class (2 bits), whether it is a letter and not hexadecimal (1 bit), its key (8 bits). */
const traitsOf = Int32Array.from({ length: 128 }, (_, code) => {
  const letter = String.fromCharCode(code);
  return classOf(letter) | (/[g-z]/.test(letter) ? 4 : 0) | (keyOf(letter) << 3);
});
const noTraits = other | (255 << 3);

/** The bits that `1 << code` sets for digits. */
const digitBits = 0x3ff << 16;

/** Reused, since reading is synchronous. */
const masks: CharacterMasks = {
  vowels: 0,
  consonants: 0,
  digits: 0,
  boundaries: 0,
  repeats: 0,
  rightwards: 0,
  leftwards: 0,
  nonHex: 0,
  letterSet: 0,
  digitSet: 0,
  letterCount: 0,
  digitCount: 0,
  wordCount: 0,
};

/** Computes the masks, valid until the next call, and writes the weights of the patterns of six character classes. */
export function readMasks(
  codes: Uint16Array,
  length: number,
  table: FeatureTable,
  weights: Int32Array,
  offset: number,
): CharacterMasks {
  let vowels = 0;
  let consonants = 0;
  let boundaries = 0;
  let repeats = 0;
  let rightwards = 0;
  let leftwards = 0;
  let nonHex = 0;
  let letterSet = 0;
  let digitSet = 0;
  let window = 0;
  let previous = 0;
  let previousKey = 255;
  const end = Math.min(length, maxCharacters + 1);
  for (let index = 1; index < end; index++) {
    const code = codes[index] as number;
    const traits = code < 128 ? (traitsOf[code] as number) : noTraits;
    const bit = index - 1;
    window = ((window << 2) | (traits & 3)) & 0xfff;
    if (index >= firstPatternEnd)
      weights[offset + index - firstPatternEnd] = table.weights[patternOffset + window] as number;
    // Classes are 01 for a vowel, 10 for a consonant, 11 for a digit. Branches would be mispredicted often.
    vowels |= (traits & 1) << bit;
    consonants |= ((traits >> 1) & 1) << bit;
    nonHex |= ((traits >> 2) & 1) << bit;
    // Shifts are modulo 32: `a` sets bit 1 and `0` bit 16. Bit 6 of a code distinguishes letters from digits.
    letterSet |= ((code >> 6) & 1) << code;
    digitSet |= (~(code >> 6) & 1) << code;
    const key = traits >> 3;
    boundaries |= isZero(code ^ boundary) << bit;
    repeats |= isZero(code ^ previous) << bit;
    rightwards |= isZero(key - previousKey - 1) << bit;
    leftwards |= isZero(key - previousKey + 1) << bit;
    previous = code;
    previousKey = key;
  }
  const digits = vowels & consonants;
  masks.vowels = vowels & ~digits;
  masks.consonants = consonants & ~digits;
  masks.digits = digits;
  masks.boundaries = boundaries;
  masks.repeats = repeats & ~boundaries;
  masks.rightwards = rightwards;
  masks.leftwards = leftwards;
  masks.nonHex = nonHex;
  masks.letterSet = letterSet;
  masks.digitSet = digitSet & digitBits;
  masks.letterCount = popCount((vowels | consonants) & ~digits);
  masks.digitCount = popCount(digits);
  masks.wordCount = popCount(boundaries);
  return masks;
}

/** 1 for 0, otherwise 0. */
function isZero(difference: number): number {
  return Math.clz32(difference) >> 5;
}

/** The number of set bits. */
export function popCount(mask: number): number {
  const pairs = mask - ((mask >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The length of the longest run of set bits. */
export function longestRun(mask: number): number {
  let length = 0;
  for (let remaining = mask; remaining !== 0; remaining &= remaining << 1) length++;
  return length;
}

/** The number of patterns that `readMasks` writes for a text of this length. */
export function patternsIn(length: number): number {
  return Math.max(0, Math.min(length, maxCharacters + 1) - firstPatternEnd);
}
