import { firstPattern, type Table } from './feature-index.js';
import { boundary } from './fold-to-ascii.js';

/** What a local part looks like from afar: in each mask, the bit of a place says whether that place has the property. */
export interface ShapeFeatures {
  vowels: number;
  consonants: number;
  digits: number;
  boundaries: number;
  /** Places with the same code as the one before. */
  repeats: number;
  /** Places one key to the right, or to the left, of the one before. */
  rightwards: number;
  leftwards: number;
  /** Letters that hexadecimal numbers do not have. */
  beyondHex: number;
  /** Which letters and which digits there are, a bit each. */
  letterSet: number;
  digitSet: number;
  letterCount: number;
  digitCount: number;
  wordCount: number;
}

/** Places beyond this one are not looked at: a mask has no more bits. */
const mostPlaces = 32;

/** Where the first pattern ends. */
const firstEnd = 4;

const other = 0;
const vowel = 1;
const consonant = 2;
const digit = 3;

const keyRows = ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'];

/** Where a key is on the keyboard that most people have: 16 times its row, and its column. */
function keyOf(letter: string): number {
  const row = keyRows.findIndex((keys) => keys.includes(letter));
  return row < 0 ? 255 : row * 16 + (keyRows[row] ?? '').indexOf(letter);
}

/** `y` is a vowel, as in most names. */
function kindOfLetter(letter: string): number {
  if (/\d/.test(letter)) return digit;
  return /[aeiouy]/.test(letter) ? vowel : /[a-z]/.test(letter) ? consonant : other;
}

/** Of each ASCII code: its kind in two bits, whether it is a letter beyond hexadecimal in one, its key in eight. */
const traitsOf = Int32Array.from({ length: 128 }, (_, code) => {
  const letter = String.fromCharCode(code);
  return kindOfLetter(letter) | (/[g-z]/.test(letter) ? 4 : 0) | (keyOf(letter) << 3);
});
const noTraits = other | (255 << 3);

/** What the digits set of `1 << code`. */
const digitBits = 0x3ff << 16;

/** Reused, since reading is synchronous. */
const outline: ShapeFeatures = {
  vowels: 0,
  consonants: 0,
  digits: 0,
  boundaries: 0,
  repeats: 0,
  rightwards: 0,
  leftwards: 0,
  beyondHex: 0,
  letterSet: 0,
  digitSet: 0,
  letterCount: 0,
  digitCount: 0,
  wordCount: 0,
};

/**
 * The outline of the first codes, until the next one is read. On the way, `told` gets what is said by how vowels, consonants and digits follow each
 * other, six at a time (patternsOf).
 */
export function readShape(
  codes: Uint16Array,
  length: number,
  { short }: Table,
  told: Int32Array,
  already: number,
): ShapeFeatures {
  let vowels = 0;
  let consonants = 0;
  let boundaries = 0;
  let repeats = 0;
  let rightwards = 0;
  let leftwards = 0;
  let beyondHex = 0;
  let letterSet = 0;
  let digitSet = 0;
  let window = 0;
  let before = 0;
  let keyBefore = 255;
  const end = Math.min(length, mostPlaces + 1);
  for (let at = 1; at < end; at++) {
    const code = codes[at] as number;
    const traits = code < 128 ? (traitsOf[code] as number) : noTraits;
    const place = at - 1;
    window = ((window << 2) | (traits & 3)) & 0xfff;
    if (at >= firstEnd) told[already + at - firstEnd] = short[firstPattern + window] as number;
    // The kinds are 01 for a vowel, 10 for a consonant and 11 for a digit: no branch, for nobody could foresee it.
    vowels |= (traits & 1) << place;
    consonants |= ((traits >> 1) & 1) << place;
    beyondHex |= ((traits >> 2) & 1) << place;
    // A shift counts modulo 32, so that `a` sets bit 1 and `0` bit 16; bit 6 of a code tells letters from digits.
    letterSet |= ((code >> 6) & 1) << code;
    digitSet |= (~(code >> 6) & 1) << code;
    const key = traits >> 3;
    boundaries |= isZero(code ^ boundary) << place;
    repeats |= isZero(code ^ before) << place;
    rightwards |= isZero(key - keyBefore - 1) << place;
    leftwards |= isZero(key - keyBefore + 1) << place;
    before = code;
    keyBefore = key;
  }
  const digits = vowels & consonants;
  outline.vowels = vowels & ~digits;
  outline.consonants = consonants & ~digits;
  outline.digits = digits;
  outline.boundaries = boundaries;
  outline.repeats = repeats & ~boundaries;
  outline.rightwards = rightwards;
  outline.leftwards = leftwards;
  outline.beyondHex = beyondHex;
  outline.letterSet = letterSet;
  outline.digitSet = digitSet & digitBits;
  outline.letterCount = bitsIn((vowels | consonants) & ~digits);
  outline.digitCount = bitsIn(digits);
  outline.wordCount = bitsIn(boundaries);
  return outline;
}

/** 1 for 0, and 0 for all others. */
function isZero(difference: number): number {
  return Math.clz32(difference) >> 5;
}

/** How many bits are set. */
export function bitsIn(mask: number): number {
  const pairs = mask - ((mask >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** How many set bits stand in a row, where most do. */
export function longestRun(mask: number): number {
  let length = 0;
  for (let left = mask; left !== 0; left &= left << 1) length++;
  return length;
}

/** How many patterns the outline of so many codes has. */
export function patternsOf(length: number): number {
  return Math.max(0, Math.min(length, mostPlaces + 1) - firstEnd);
}
