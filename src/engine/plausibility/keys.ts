import { isDigit, noteSlot } from './slots.js';

/** Where each key is on the keyboard that most people have: 16 times its row, and its column; 255 for any other code. */
const keyAt = new Uint8Array(128).fill(255);
['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'].forEach((keys, row) => {
  for (let column = 0; column < keys.length; column++) keyAt[keys.charCodeAt(column)] = row * 16 + column;
});

/** How far hands ran along the keys, and what is remarkable about the digits. */
export function readKeys(
  codes: Uint16Array,
  length: number,
  digits: number,
  slots: Uint32Array,
  already: number,
): number {
  let count = already;
  let straight = 0;
  let longestStraight = 0;
  let near = 0;
  let changes = 0;
  let direction = 0;
  let sameDigit = 0;
  let longestSame = 0;
  let seenDigits = 0;
  for (let at = 1; at < length - 1; at++) {
    const code = codes[at] as number;
    const before = codes[at - 1] as number;
    const step = stepBetween(before, code);
    straight = step === 0 ? 0 : step === direction ? straight + 1 : 1;
    direction = step;
    if (straight > longestStraight) longestStraight = straight;
    if (step !== 0 || code === before) near++;
    const digit = isDigit(code);
    if (at > 1 && digit !== isDigit(before)) changes++;
    if (!digit) continue;
    seenDigits |= 1 << (code - 48);
    sameDigit = code === before ? sameDigit + 1 : 1;
    if (sameDigit > longestSame) longestSame = sameDigit;
  }
  const total = length - 2;
  slots[count++] = noteSlot(12, Math.min(8, longestStraight) * 32 + Math.min(16, total));
  slots[count++] = noteSlot(13, Math.round((8 * near) / Math.max(1, total)) * 32 + Math.min(16, total));
  if (digits === 0) return count;
  const onlyDigits = digits === total ? 1 : 0;
  slots[count++] = noteSlot(14, (Math.min(6, longestSame) * 16 + Math.min(12, digits)) * 2 + onlyDigits);
  slots[count++] = noteSlot(15, (Math.min(8, longestStraight) * 16 + Math.min(12, digits)) * 2 + onlyDigits);
  slots[count++] = noteSlot(16, Math.min(10, changes) * 16 + Math.min(12, digits));
  slots[count++] = noteSlot(17, (distinct(seenDigits) * 16 + Math.min(12, digits)) * 2 + onlyDigits);
  return count;
}

/** One key to the right is 1, one to the left is -1, anything else 0. */
function stepBetween(one: number, other: number): number {
  if (one > 127 || other > 127) return 0;
  const from = keyAt[one] as number;
  const to = keyAt[other] as number;
  return from === 255 || to === 255 || Math.abs(to - from) !== 1 ? 0 : to - from;
}

/** How many bits are set. */
export function distinct(seen: number): number {
  let count = 0;
  for (let left = seen; left !== 0; left &= left - 1) count++;
  return count;
}
