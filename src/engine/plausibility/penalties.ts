import { isDigit, noted, type Table } from './feature-index.js';
import { bitsIn, longestRun, type ShapeFeatures } from './shape-features.js';

/** A text of more letters than these does not go round and round. */
const fewLetters = 4;

const zero = 48;

/** Of the local part read last: how many digits its first number has where it is a long one beside a name, and no day. */
export const lastNumber = { beside: 0 };

/** How many letters and words there are and of what kind, how they repeat, and how hands ran along the keys. */
export function readLetters(outline: ShapeFeatures, table: Table, told: Int32Array, already: number): number {
  const { vowels, consonants, digits, boundaries, rightwards, leftwards, repeats } = outline;
  let count = already;
  const { letterCount: letters, digitCount: numbers, wordCount: words } = outline;
  // The last boundary, and all before it.
  const places = 32 - Math.clz32(boundaries | vowels | consonants | digits);
  const total = places - words;
  const size = Math.min(24, letters);
  const share = vowelShare(bitsIn(vowels), letters);
  const beyondHex = bitsIn(outline.beyondHex);
  const straight = Math.min(8, Math.max(longestRun(rightwards), longestRun(leftwards)));
  const near = Math.round((8 * bitsIn(rightwards | leftwards | repeats)) / Math.max(1, total));
  told[count++] = noted(table, 2, longestWord(outline) * 8 + Math.min(5, words));
  told[count++] = noted(table, 3, partsOf(outline) * 32 + Math.min(16, total));
  told[count++] = noted(table, 4, Math.min(8, longestRun(consonants)) * 32 + size);
  told[count++] = noted(table, 6, share * 32 + size);
  told[count++] = noted(table, 7, Math.min(12, beyondHex) * 16 + Math.min(12, numbers));
  told[count++] = noted(table, 8, Math.min(6, longestRun(repeats)));
  told[count++] = noted(table, 9, bitsIn(outline.letterSet) * 32 + size);
  told[count++] = noted(table, 12, straight * 32 + Math.min(16, total));
  told[count++] = noted(table, 13, near * 32 + Math.min(16, total));
  return count;
}

/** How many digits there are beside how many letters, how they repeat and run, and whether they end in a year. */
export function readDigits(
  outline: ShapeFeatures,
  codes: Uint16Array,
  length: number,
  table: Table,
  told: Int32Array,
  already: number,
): number {
  const { vowels, digits, rightwards, leftwards, repeats, letterCount: letters, digitCount } = outline;
  let count = already;
  lastNumber.beside = 0;
  const numbers = Math.min(12, digitCount);
  const alone = letters === 0 && outline.boundaries === 1 << digitCount ? 1 : 0;
  const upwards = bitsIn(digits & rightwards) > 2 ? 2 : 0;
  const straight = Math.min(8, longestRun((rightwards | leftwards) & digits));
  const turns = turnsOf(outline);
  const start = firstBit(digits);
  const run = firstBit(~(digits >>> start));
  // People begin a short number with 0 where it is a month; counters do so to fill it up.
  const filled = run >= 3 && codes[start + 1] === zero ? (codes[start + 2] === zero ? 8 : 4) : 0;
  const year = endsInYear(codes, length) ? 1 : 0;
  told[count++] = noted(table, 5, Math.min(12, longestRun(digits)) * 16 + year + upwards + filled);
  told[count++] = noted(table, 10, numbers * 32 + Math.min(20, letters));
  told[count++] = noted(table, 11, numbers * 16 + vowelShare(bitsIn(vowels), letters));
  told[count++] = noted(table, 14, (Math.min(6, longestRun(repeats & digits)) * 16 + numbers) * 2 + alone);
  told[count++] = noted(table, 15, (straight * 16 + numbers) * 2 + alone);
  told[count++] = noted(table, 16, Math.min(10, turns) * 16 + numbers);
  told[count++] = noted(table, 17, (bitsIn(outline.digitSet) * 16 + numbers) * 2 + alone);
  if (run >= 5) {
    const long = Math.min(15, run);
    // How a long number begins: a time, a year, or any way; and whether it is a day, beside how many letters.
    told[count++] = noted(table, 26, pairAt(codes, start) * 16 + long);
    const day = isDay(codes, start, run);
    told[count++] = noted(table, 28, (Math.min(4, letters) * 2 + (day ? 1 : 0)) * 16 + long);
    if (!day && run >= 6 && letters >= 3) lastNumber.beside = long;
  }
  // Where the digits stand, in a name of ten places and its last boundary.
  if (length <= 12) told[count++] = noted(table, 23, digits | (1 << (length - 2)));
  return count;
}

/** The place of the lowest bit that is set, -1 for none. */
function firstBit(mask: number): number {
  return 31 - Math.clz32(mask & -mask);
}

/** The number that the two digits from a place on are. */
function pairAt(codes: Uint16Array, place: number): number {
  return (codes[place + 1] as number) * 10 + (codes[place + 2] as number) - 528;
}

/** Six to eight digits that are a day of birth in any order that people write one in, with or without zeros. */
function isDay(codes: Uint16Array, start: number, run: number): boolean {
  if (run < 6 || run > 8) return false;
  const first = pairAt(codes, start);
  const second = pairAt(codes, start + 2);
  const third = pairAt(codes, start + 4);
  if (run === 7) return isCentury(pairAt(codes, start + 3)) ? isShortDay(codes, start) : isCentury(first) && third > 0;
  if (run === 6) return inYear(first, second) || inYear(third, second) || (isCentury(second) && first > 10);
  if (isCentury(third) && inYear(first, second)) return true;
  return isCentury(first) && inYear(third, pairAt(codes, start + 6));
}

/** Three digits that are a day and a month, one of them without a zero. */
function isShortDay(codes: Uint16Array, start: number): boolean {
  const first = pairAt(codes, start);
  const last = pairAt(codes, start + 1);
  return inYear(first, last % 10) || inYear(Math.floor(first / 10), last);
}

/** A day and a month, in either order. */
function inYear(one: number, other: number): boolean {
  return one > 0 && other > 0 && Math.min(one, other) <= 12 && Math.max(one, other) <= 31;
}

function isCentury(pair: number): boolean {
  return pair === 19 || pair === 20;
}

/** Text of few letters, by the one to four codes after which it comes back most, and how much of it does. */
export function readPeriod(
  outline: ShapeFeatures,
  codes: Uint16Array,
  length: number,
  table: Table,
  told: Int32Array,
  already: number,
): number {
  if (length < 7 || bitsIn(outline.letterSet) > fewLetters) return already;
  let period = 0;
  let most = -1;
  for (let distance = 1; distance <= fewLetters; distance++) {
    let same = 0;
    for (let at = distance + 1; at < length - 1; at++) if (codes[at] === codes[at - distance]) same++;
    const share = Math.floor((8 * same) / (length - 2 - distance));
    if (share <= most) continue;
    most = share;
    period = distance;
  }
  told[already] = noted(table, 27, (period * 16 + most) * 16 + Math.min(12, length - 2));
  return already + 1;
}

/** How often digits and what is none take turns. */
export function turnsOf({ digits }: ShapeFeatures): number {
  return bitsIn((digits ^ (digits << 1)) & ~1);
}

/** A digit comes after a letter, and a letter after a digit. */
export function mixesDigits({ vowels, consonants, digits }: ShapeFeatures): boolean {
  const letters = vowels | consonants;
  return (digits & (letters << 1)) !== 0 && (letters & (digits << 1)) !== 0;
}

/** In tenths; 15 where there is no letter. */
function vowelShare(vowels: number, letters: number): number {
  return letters === 0 ? 15 : Math.round((10 * vowels) / letters);
}

function longestWord({ boundaries }: ShapeFeatures): number {
  const last = 31 - Math.clz32(boundaries);
  return boundaries === 0 ? 31 : Math.min(20, longestRun(~boundaries & ((1 << last) - 1)));
}

/** How often letters and digits take turns, how many groups of digits there are, and which of them comes first. */
function partsOf({ vowels, consonants, digits }: ShapeFeatures): number {
  const letters = vowels | consonants;
  const groupsOfLetters = bitsIn(letters & ~(letters << 1));
  const groupsOfDigits = bitsIn(digits & ~(digits << 1));
  return (Math.min(7, groupsOfLetters) * 8 + Math.min(7, groupsOfDigits)) * 2 + (digits & 1);
}

/** The last four codes are digits that look like a year of birth. */
function endsInYear(codes: Uint16Array, length: number): boolean {
  if (length < 6) return false;
  let year = 0;
  for (let at = length - 5; at < length - 1; at++) {
    const code = codes[at] as number;
    if (!isDigit(code)) return false;
    year = year * 10 + code - 48;
  }
  return year >= 1940 && year <= 2026;
}
