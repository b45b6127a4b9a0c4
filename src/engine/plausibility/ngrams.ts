import { boundary } from './fold.js';
import { emptyHash, hashOn, isDigit, knownSlot, noteSlot, slotOf } from './slots.js';

/** The longest n-gram, boundaries counted. */
export const longest = 6;
/** N-grams from this length on are read only where the marks know them. */
export const shortestLong = 4;
/** A letter is covered by a known n-gram of at least this length. */
const covering = 5;

/**
 * From each code on, the n-grams of two and three and the longer ones known, within one word and its boundaries; and how much of
 * the letters the known ones cover, since a word that was made to be said has the short n-grams of real ones and few of the long.
 * `grams` holds one code for all digits.
 */
export function readNgrams(grams: Uint16Array, length: number, marks: Uint8Array, slots: Uint32Array): number {
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
        const slot = knownSlot(hash, marks);
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
  const size = Math.min(24, letters);
  slots[count++] = noteSlot(19, Math.min(16, uncovered) * 32 + size);
  slots[count++] = noteSlot(20, Math.min(16, strange) * 32 + size);
  slots[count++] = noteSlot(21, Math.min(16, whole) * 32 + size);
  return count;
}

/** The hash of a whole word is not that of an n-gram of the same letters. */
export const emptyWord = 0x2f0b4a27;
export const shortestWord = 4;

/** Each word of 4 letters or more as the marks know it: whole, and without its first or last letter, which may be an initial. */
export function readWords(
  codes: Uint16Array,
  length: number,
  marks: Uint8Array,
  slots: Uint32Array,
  already: number,
): number {
  let count = already;
  let start = 1;
  let whole = emptyWord;
  let beheaded = emptyWord;
  let shortened = emptyWord;
  for (let at = 1; at < length; at++) {
    const code = codes[at] as number;
    if (code !== boundary && !isDigit(code)) {
      shortened = whole;
      whole = hashOn(whole, code);
      if (at > start) beheaded = hashOn(beheaded, code);
      continue;
    }
    const letters = at - start;
    if (letters >= shortestWord) {
      const known = knownSlot(whole, marks);
      if (known !== 0) slots[count++] = known;
      const rest = letters > shortestWord ? knownSlot(beheaded, marks) || knownSlot(shortened, marks) : 0;
      if (rest !== 0) slots[count++] = rest;
      slots[count++] = noteSlot(22, Math.min(12, letters) * 4 + (known !== 0 ? 1 : 0) + (rest !== 0 ? 2 : 0));
    }
    start = at + 1;
    whole = emptyWord;
    beheaded = emptyWord;
  }
  return count;
}

/** The letters that 0 to 9 are typed for; 1 is `l` as well. */
const letterFor = Uint16Array.from('oizeasgtbg', (letter) => letter.charCodeAt(0));
const one = 49;
const letterL = 108;

/** Each word of 4 letters or more with its digits read as the letters that they look like: whether the marks know it so. */
export function readDigitsAsLetters(
  codes: Uint16Array,
  length: number,
  marks: Uint8Array,
  slots: Uint32Array,
  already: number,
): number {
  let count = already;
  let letters = 0;
  let word = emptyWord;
  let wordWithL = emptyWord;
  for (let at = 1; at < length; at++) {
    const code = codes[at] as number;
    if (code !== boundary) {
      const letter = isDigit(code) ? (letterFor[code - 48] as number) : code;
      word = hashOn(word, letter);
      wordWithL = hashOn(wordWithL, code === one ? letterL : letter);
      letters++;
      continue;
    }
    if (letters >= shortestWord) {
      const known = knownSlot(word, marks) || knownSlot(wordWithL, marks);
      if (known !== 0) slots[count++] = known;
      slots[count++] = noteSlot(24, Math.min(12, letters) * 2 + (known !== 0 ? 1 : 0));
    }
    letters = 0;
    word = emptyWord;
    wordWithL = emptyWord;
  }
  return count;
}
