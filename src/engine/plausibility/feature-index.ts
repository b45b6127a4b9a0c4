/** Weights of short n-grams and remarks. */
const hashedSlots = 1 << 16;

/** Then one weight for every pattern of six. */
export const firstPattern = hashedSlots;
const patterns = 1 << 12;

/** Then the long n-grams and words, in two bytes each: twelve bits are the mark of the slot's one owner, four are its weight. */
export const firstLong = hashedSlots + patterns;
export const longSlots = (1 << 18) - (1 << 15) - (1 << 13) - (1 << 11);

/** All slots. */
export const tableSize = firstLong + longSlots;

/** What the four bits of a weight stand for; a byte of other weights goes as far. Most are small. */
export const longWeights = Int8Array.of(-13, -8, -4, 0, 4, 9, 14, 20, 27, 35, 44, 55, 68, 84, 104, 127);

/** FNV-1a, a code at a time, in whole numbers of 32 bits. */
export const emptyHash = 0x811c9dc5 | 0;
export function hashOn(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193);
}

/** The slot of a short n-gram. Fibonacci hashing: the high bits of the product are the well-mixed ones. */
export function slotOf(hash: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x9e3779b1) >>> 16;
}

const markBits = 0xfff;

/** The mark by which an owner is told from others of the same slot; 0 is nobody's. */
export function markOf(hash: number): number {
  return Math.imul(hash, 0xc2b2ae35) >>> 20 || 1;
}

/**
 * The two of the long slots that a long n-gram or word may own, so that few are left without one: one by the upper bits of its hash,
 * pressed into as many slots as there are, and one as far on as its mark says.
 */
export function firstChoice(hash: number): number {
  const bits = Math.imul(hash ^ (hash >>> 15), 0x9e3779b1) >>> 14;
  return bits - (bits >>> 3) - (bits >>> 5) - (bits >>> 7);
}
export function secondChoice(first: number, mark: number): number {
  // Half of them go round: no branch, for nobody could foresee it.
  const beyond = first + mark * 53 - longSlots;
  return beyond + (longSlots & (beyond >> 31));
}

/** Where features are looked up. */
export interface Table {
  /** What each short n-gram, pattern and remark says: its weight; in training, its slot. */
  short: Int8Array | Uint32Array;
  /** Which long n-grams and words are known, each with its weight. */
  lexicon: Uint16Array;
  training: boolean;
}

/** The place in the lexicon of a long n-gram or word that is known; -1 for one that is not. */
export function placeIn(lexicon: Uint16Array, hash: number): number {
  const mark = markOf(hash);
  const first = firstChoice(hash);
  if (((lexicon[first] as number) & markBits) === mark) return first;
  const second = secondChoice(first, mark);
  return ((lexicon[second] as number) & markBits) === mark ? second : -1;
}

/** What a long n-gram or word at this place says: its weight; in training, its slot. */
export function toldAt(place: number, lexicon: Uint16Array, training: boolean): number {
  return training ? firstLong + place : (longWeights[(lexicon[place] as number) >>> 12] as number);
}

/** What something remarkable says, by which kind of remark it is and of what value. */
export function noted({ short }: Table, kind: number, value: number): number {
  return short[slotOf(Math.imul(value + 1, 0x2545f491) ^ (kind * 0x3779fb9))] as number;
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
