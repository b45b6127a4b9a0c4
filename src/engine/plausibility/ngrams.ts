import { emptyHash, hashOn, isDigit, noted, placeIn, slotOf, type Table, toldAt } from './feature-index.js';
import { boundary } from './fold-to-ascii.js';
import { longestRun } from './shape-features.js';

/** The longest n-gram, boundaries counted. */
export const longest = 6;
/** N-grams from this length on are read only where the lexicon knows them. */
export const shortestLong = 4;
/** A letter is covered by a known n-gram of at least this length. */
const covering = 5;

/** How many features say how much is covered: the last ones. */
export const coverageNotes = 3;

/**
 * Of the text read last: what its n-grams of three and its longer ones say together; how many letters no known n-gram covers, how many
 * begin an unknown one of four, and how many a known one of six; and how many letters stand in a row that no known one covers, not
 * even one of four: a random word beside a known name has such a row, however much speaks for the name.
 */
export const lastGrams = { short: 0, long: 0, uncovered: 0, strange: 0, whole: 0, alien: 0 };

/**
 * From each code on, the n-gram of three and the longer ones known, within one word and its boundaries; and how much of
 * the letters the known ones cover, since a word that was made to be said has the short n-grams of real ones and few of the long.
 * `grams` holds one code for each number. Writes into `told` what each says and returns how many there are.
 */
export function readNgrams(grams: Uint16Array, length: number, table: Table, told: Int32Array): number {
  const { short, lexicon, training } = table;
  let count = 0;
  let letters = 0;
  let uncovered = 0;
  let strange = 0;
  let whole = 0;
  let coveredTo = 0;
  let touchedTo = 0;
  let untouched = 0;
  let shortSum = 0;
  let longSum = 0;
  let second = grams[0] as number;
  let third = grams[1] as number;
  for (let start = 0; start < length - 2; start++) {
    const first = second;
    second = third;
    third = grams[start + 2] as number;
    const isLetter = first !== boundary && !isDigit(first);
    if (isLetter) letters++;
    let end = start + 2;
    if (second !== boundary) {
      end++;
      let hash = hashOn(hashOn(hashOn(emptyHash, first), second), third);
      const three = short[slotOf(hash)] as number;
      told[count++] = three;
      shortSum += three;
      for (let last = third; last !== boundary && end < start + longest; end++) {
        last = grams[end] as number;
        hash = hashOn(hash, last);
        const place = placeIn(lexicon, hash);
        if (place < 0) {
          if (end - start < shortestLong && isLetter) strange++;
          break;
        }
        const more = toldAt(place, lexicon, training);
        told[count++] = more;
        longSum += more;
      }
    }
    if (end - start === longest) whole++;
    if (end - start >= covering && end > coveredTo) coveredTo = end;
    if (end - start >= shortestLong && end > touchedTo) touchedTo = end;
    if (!isLetter) continue;
    if (start >= coveredTo) uncovered++;
    if (start >= touchedTo) untouched |= 1 << start;
  }
  lastGrams.short = shortSum;
  lastGrams.long = longSum;
  lastGrams.uncovered = Math.min(16, uncovered);
  lastGrams.strange = Math.min(16, strange);
  lastGrams.whole = Math.min(16, whole);
  lastGrams.alien = longestRun(untouched);
  const size = Math.min(24, letters);
  told[count++] = noted(table, 19, Math.min(16, uncovered) * 32 + size);
  told[count++] = noted(table, 20, Math.min(16, strange) * 32 + size);
  told[count++] = noted(table, 21, Math.min(16, whole) * 32 + size);
  return count;
}
