import { boundary } from './fold.js';
import { emptyHash, hashOn, isDigit, knownSlot, noteSlot, slotOf } from './slots.js';

/** The longest n-gram, boundaries counted. */
export const longest = 6;
/** N-grams from this length on are read only where the lexicon knows them. */
export const shortestLong = 4;
/** A letter is covered by a known n-gram of at least this length. */
const covering = 5;

/** How many slots say how much is covered: the last ones. */
export const coverageNotes = 3;

/** Of the local part read last: how many letters no known n-gram covers, how many begin an unknown one of four, and how many a known one of six. */
export const lastGrams = { uncovered: 0, strange: 0, whole: 0 };

/**
 * From each code on, the n-grams of two and three and the longer ones known, within one word and its boundaries; and how much of
 * the letters the known ones cover, since a word that was made to be said has the short n-grams of real ones and few of the long.
 * `grams` holds one code for all digits.
 */
export function readNgrams(grams: Uint16Array, length: number, lexicon: Uint16Array, slots: Uint32Array): number {
  let count = 0;
  let letters = 0;
  let uncovered = 0;
  let strange = 0;
  let whole = 0;
  let coveredTo = 0;
  for (let start = 0; start < length - 2; start++) {
    const first = grams[start] as number;
    const second = grams[start + 1] as number;
    const isLetter = first !== boundary && !isDigit(first);
    if (isLetter) letters++;
    let end = start + 2;
    if (second !== boundary) {
      const third = grams[end++] as number;
      let hash = hashOn(hashOn(emptyHash, first), second);
      slots[count++] = slotOf(hash);
      hash = hashOn(hash, third);
      slots[count++] = slotOf(hash);
      for (let last = third; last !== boundary && end < start + longest; end++) {
        last = grams[end] as number;
        hash = hashOn(hash, last);
        const slot = knownSlot(hash, lexicon);
        if (slot === 0) {
          if (end - start < shortestLong && isLetter) strange++;
          break;
        }
        slots[count++] = slot;
      }
    }
    if (end - start === longest) whole++;
    if (end - start >= covering && end > coveredTo) coveredTo = end;
    if (isLetter && start >= coveredTo) uncovered++;
  }
  lastGrams.uncovered = Math.min(16, uncovered);
  lastGrams.strange = Math.min(16, strange);
  lastGrams.whole = Math.min(16, whole);
  const size = Math.min(24, letters);
  slots[count++] = noteSlot(19, Math.min(16, uncovered) * 32 + size);
  slots[count++] = noteSlot(20, Math.min(16, strange) * 32 + size);
  slots[count++] = noteSlot(21, Math.min(16, whole) * 32 + size);
  return count;
}
