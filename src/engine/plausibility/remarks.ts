import { bitsIn, longestRun, type Outline } from './outline.js';
import { isDigit, noteSlot } from './slots.js';

/** How many letters and words there are and of what kind, how they repeat, and how hands ran along the keys. */
export function readLetters(outline: Outline, slots: Uint32Array, already: number): number {
  const { vowels, consonants, digits, boundaries, rightwards, leftwards, repeats } = outline;
  let count = already;
  const letters = bitsIn(vowels | consonants);
  const numbers = bitsIn(digits);
  const words = bitsIn(boundaries);
  // The last boundary, and all before it.
  const places = 32 - Math.clz32(boundaries | vowels | consonants | digits);
  const total = places - words;
  const size = Math.min(24, letters);
  const share = vowelShare(bitsIn(vowels), letters);
  const beyondHex = bitsIn(outline.beyondHex);
  const straight = Math.min(8, Math.max(longestRun(rightwards), longestRun(leftwards)));
  const near = Math.round((8 * bitsIn(rightwards | leftwards | repeats)) / Math.max(1, total));
  slots[count++] = noteSlot(2, longestWord(outline) * 8 + Math.min(5, words));
  slots[count++] = noteSlot(3, partsOf(outline) * 32 + Math.min(16, total));
  slots[count++] = noteSlot(4, Math.min(8, longestRun(consonants)) * 32 + size);
  slots[count++] = noteSlot(6, share * 32 + size);
  slots[count++] = noteSlot(7, Math.min(12, beyondHex) * 16 + Math.min(12, numbers));
  slots[count++] = noteSlot(8, Math.min(6, longestRun(repeats)));
  slots[count++] = noteSlot(9, bitsIn(outline.letterSet) * 32 + size);
  slots[count++] = noteSlot(12, straight * 32 + Math.min(16, total));
  slots[count++] = noteSlot(13, near * 32 + Math.min(16, total));
  return count;
}

/** How many digits there are beside how many letters, how they repeat and run, and whether they end in a year. */
export function readDigits(
  outline: Outline,
  codes: Uint16Array,
  length: number,
  slots: Uint32Array,
  already: number,
): number {
  const { vowels, consonants, digits, rightwards, leftwards, repeats } = outline;
  let count = already;
  const letters = bitsIn(vowels | consonants);
  const numbers = Math.min(12, bitsIn(digits));
  const alone = letters === 0 && outline.boundaries === 1 << bitsIn(digits) ? 1 : 0;
  const upwards = bitsIn(digits & rightwards) > 2 ? 2 : 0;
  const straight = Math.min(8, longestRun((rightwards | leftwards) & digits));
  const turns = turnsOf(outline);
  slots[count++] = noteSlot(5, Math.min(12, longestRun(digits)) * 4 + (endsInYear(codes, length) ? 1 : 0) + upwards);
  slots[count++] = noteSlot(10, numbers * 32 + Math.min(20, letters));
  slots[count++] = noteSlot(11, numbers * 16 + vowelShare(bitsIn(vowels), letters));
  slots[count++] = noteSlot(14, (Math.min(6, longestRun(repeats & digits)) * 16 + numbers) * 2 + alone);
  slots[count++] = noteSlot(15, (straight * 16 + numbers) * 2 + alone);
  slots[count++] = noteSlot(16, Math.min(10, turns) * 16 + numbers);
  slots[count++] = noteSlot(17, (bitsIn(outline.digitSet) * 16 + numbers) * 2 + alone);
  // Where the digits stand, in a name of ten places and its last boundary.
  if (length <= 12) slots[count++] = noteSlot(23, digits | (1 << (length - 2)));
  return count;
}

/** How often digits and what is none take turns. */
export function turnsOf({ digits }: Outline): number {
  return bitsIn((digits ^ (digits << 1)) & ~1);
}

/** A digit comes after a letter, and a letter after a digit. */
export function mixesDigits({ vowels, consonants, digits }: Outline): boolean {
  const letters = vowels | consonants;
  return (digits & (letters << 1)) !== 0 && (letters & (digits << 1)) !== 0;
}

/** In tenths; 15 where there is no letter. */
function vowelShare(vowels: number, letters: number): number {
  return letters === 0 ? 15 : Math.round((10 * vowels) / letters);
}

function longestWord({ boundaries }: Outline): number {
  const last = 31 - Math.clz32(boundaries);
  return boundaries === 0 ? 31 : Math.min(20, longestRun(~boundaries & ((1 << last) - 1)));
}

/** How often letters and digits take turns, how many groups of digits there are, and which of them comes first. */
function partsOf({ vowels, consonants, digits }: Outline): number {
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
