/** Weights of short n-grams and remarks. */
const hashedSlots = 1 << 16;

/** Then one weight for every pattern of six. */
export const firstPattern = hashedSlots;
const shortSlots = hashedSlots + (1 << 12);

/** Weights of long n-grams and words: each has one owner, whose mark stands beside it. */
export const longSlots = (1 << 18) - (1 << 15) - (1 << 13) - (1 << 12);

/** All weights; those of long n-grams and words come last, from here on. */
export const firstLong = shortSlots;
export const tableSize = shortSlots + longSlots;

/** FNV-1a, a code at a time. */
export const emptyHash = 0x811c9dc5;
export function hashOn(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193);
}

/** The slot of a short n-gram. Fibonacci hashing: the high bits of the product are the well-mixed ones. */
export function slotOf(hash: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x9e3779b1) >>> 16;
}

/** Which of the long slots a long n-gram or word would own: 18 bits of the product, pressed into as many slots as there are. */
export function longSlotOf(hash: number): number {
  const bits = Math.imul(hash ^ (hash >>> 15), 0x9e3779b1) >>> 14;
  return bits - (bits >>> 3) - (bits >>> 5) - (bits >>> 6);
}

/** The mark by which an owner is told from others of the same slot; 0 is nobody's. */
export function markOf(hash: number): number {
  return (hash ^ (hash >>> 9) ^ (hash >>> 21)) & 0xff;
}

/** The slot of a long n-gram or word that the marks know; 0, which is no long slot, for one they do not. */
export function knownSlot(hash: number, marks: Uint8Array): number {
  const mark = markOf(hash);
  const slot = longSlotOf(hash);
  return mark !== 0 && marks[slot] === mark ? shortSlots + slot : 0;
}

/** The slot of something remarkable: which kind of remark, and what it says. */
export function noteSlot(kind: number, value: number): number {
  return slotOf(Math.imul(value + 1, 0x2545f491) ^ (kind * 0x3779fb9));
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
