/** Where the weights of n-grams of 4 and 5 letters, of words and of their parts begin: two thirds of the table are theirs. */
export const longSlots = 1 << 17;

/** Slots of the hashed weight table. */
export const tableSize = longSlots * 3;

/** The slot of a short n-gram. Fibonacci hashing: the high bits of the product are the well-mixed ones. */
export function slotOf(hash: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x9e3779b1) >>> 15;
}

/** The slot of a long n-gram, a word or a part of one. */
export function longSlotOf(hash: number): number {
  return longSlots + (Math.imul(hash ^ (hash >>> 15), 0x9e3779b1) >>> 14);
}

/** The slot of something remarkable: which kind of remark, and what it says. */
export function noteSlot(kind: number, value: number): number {
  return slotOf(Math.imul(value + 1, 0x2545f491) ^ (kind * 0x3779fb9));
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
