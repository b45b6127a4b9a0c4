/** Slots of the hashed weight table. */
export const tableSize = 1 << 17;

const boundary = 1;
const digit = 48;
const maxLength = 64;
const orders = 5;

/** Codes of the local part being read; reused, since inference is synchronous. */
const codes = new Uint16Array(maxLength + 2);

/**
 * Calls `visit` with the slot of every feature of a local part: its character n-grams within words, the shape of its
 * words, and what is remarkable about it as a whole. The training script and the model both read through this one function.
 */
export function visitFeatures(localPart: string, visit: (slot: number) => void): void {
  const length = foldInto(localPart);
  visitNgrams(length, visit);
  visitShape(length, visit);
}

/** Lower case, no diacritics, digits alike, separators as word boundaries, the tag dropped. Returns the number of codes. */
function foldInto(localPart: string): number {
  const text = isPlain(localPart) ? localPart : localPart.normalize('NFD');
  let length = 0;
  codes[length++] = boundary;
  for (let index = 0; index < text.length && length <= maxLength; index++) {
    const code = foldedCode(text.charCodeAt(index));
    if (code === plus) break;
    if (code === 0 || (code === boundary && codes[length - 1] === boundary)) continue;
    codes[length++] = code;
  }
  if (codes[length - 1] !== boundary) codes[length++] = boundary;
  return length;
}

const plus = 43;

function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false;
  return true;
}

/** 0 drops the character. */
function foldedCode(code: number): number {
  if (code >= 97 && code <= 122) return code;
  if (code >= 48 && code <= 57) return code;
  if (code >= 65 && code <= 90) return code + 32;
  if (code === 46 || code === 95 || code === 45) return boundary;
  if (code === plus) return plus;
  if (code < 128) return code;
  return foldedBeyondAscii(code);
}

/** Letters that do not decompose, by what people type for them; combining marks are dropped; other scripts stay. */
function foldedBeyondAscii(code: number): number {
  if (code >= 0x300 && code <= 0x36f) return 0;
  switch (code) {
    case 0xdf:
      return 115;
    case 0xe6:
    case 0xc6:
      return 97;
    case 0xf8:
    case 0xd8:
    case 0x153:
    case 0x152:
      return 111;
    case 0x111:
    case 0x110:
    case 0xf0:
    case 0xd0:
      return 100;
    case 0x142:
    case 0x141:
      return 108;
    case 0x131:
    case 0x130:
      return 105;
    case 0xfe:
    case 0xde:
      return 116;
    case 0x259:
    case 0x18f:
      return 101;
  }
  // CJK and Hangul: thousands of letters, so one stands for all.
  if (code >= 0x2e80 && code <= 0xd7a3) return 0x4e00;
  if (code >= 0xd800 && code <= 0xdfff) return 0x1f600;
  // Cyrillic, Greek and Armenian capitals, as their small letters.
  if (code >= 0x410 && code <= 0x42f) return code + 32;
  if (code >= 0x391 && code <= 0x3a9) return code + 32;
  if (code >= 0x531 && code <= 0x556) return code + 48;
  return code;
}

/** N-grams of order 1 to 5; digits count alike, so that `jane84` and `jane91` share theirs. */
function visitNgrams(length: number, visit: (slot: number) => void): void {
  for (let start = 0; start < length; start++) {
    let hash = 0x811c9dc5;
    const most = Math.min(orders, length - start);
    for (let order = 1; order <= most; order++) {
      const code = codes[start + order - 1] as number;
      hash = Math.imul(hash ^ (code >= 48 && code <= 57 ? digit : code), 0x01000193);
      if (order > 1 && code === boundary && order < 3) continue;
      visit(slotOf(hash, order));
      if (order > 1 && code === boundary) break;
    }
  }
}

function slotOf(hash: number, salt: number): number {
  let mixed = Math.imul(hash ^ (salt * 0x9e3779b1), 0x85ebca6b);
  mixed ^= mixed >>> 15;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 13)) >>> 0) % tableSize;
}

const vowels = new Set([97, 101, 105, 111, 117, 121]);

/** What n-grams cannot see: lengths, runs, where the digits stand, how letters and digits alternate. */
function visitShape(length: number, visit: (slot: number) => void): void {
  let letters = 0;
  let digits = 0;
  let vowelCount = 0;
  let hexLetters = 0;
  let words = 0;
  let switches = 0;
  let consonantRun = 0;
  let longestConsonantRun = 0;
  let digitRun = 0;
  let longestDigitRun = 0;
  let longestWord = 0;
  let wordLength = 0;
  let seen = 0;
  let distinct = 0;
  let sameRun = 0;
  let longestSameRun = 0;
  let previousKind = 0;
  let kinds = 17;
  for (let index = 1; index < length; index++) {
    const code = codes[index] as number;
    if (code === boundary) {
      if (wordLength > longestWord) longestWord = wordLength;
      if (wordLength > 0) words++;
      wordLength = 0;
      consonantRun = 0;
      digitRun = 0;
      previousKind = 0;
      kinds = Math.imul(kinds, 31) + 3;
      continue;
    }
    wordLength++;
    sameRun = code === codes[index - 1] ? sameRun + 1 : 1;
    if (sameRun > longestSameRun) longestSameRun = sameRun;
    const isDigit = code >= 48 && code <= 57;
    const kind = isDigit ? 1 : 2;
    if (kind !== previousKind) {
      if (previousKind !== 0) switches++;
      kinds = Math.imul(kinds, 31) + kind;
      previousKind = kind;
    }
    if (isDigit) {
      digits++;
      digitRun++;
      consonantRun = 0;
      if (digitRun > longestDigitRun) longestDigitRun = digitRun;
      continue;
    }
    digitRun = 0;
    letters++;
    if (code >= 97 && code <= 122) {
      const bit = 1 << (code - 97);
      if ((seen & bit) === 0) distinct++;
      seen |= bit;
      if (code <= 102) hexLetters++;
    }
    if (vowels.has(code)) {
      vowelCount++;
      consonantRun = 0;
    } else {
      consonantRun++;
      if (consonantRun > longestConsonantRun) longestConsonantRun = consonantRun;
    }
  }
  const total = letters + digits;
  visit(slotOf(Math.min(total, 24), 101));
  visit(slotOf(Math.min(longestWord, 20) * 8 + Math.min(words, 5), 102));
  visit(slotOf(Math.min(switches, 7) * 32 + Math.min(digits, 15), 103));
  visit(slotOf(Math.min(longestConsonantRun, 8), 104));
  visit(slotOf(Math.min(longestDigitRun, 12) * 4 + yearLike(length), 105));
  visit(slotOf(letters === 0 ? 99 : Math.round((10 * vowelCount) / letters) * 32 + Math.min(letters, 20), 106));
  visit(slotOf(letters > 0 && hexLetters === letters ? Math.min(total, 20) : 99, 107));
  visit(slotOf(kinds, 108));
  visit(slotOf(Math.min(longestSameRun, 6), 109));
  visit(slotOf(Math.min(distinct, 16) * 32 + Math.min(letters, 24), 110));
  visit(slotOf(Math.min(digits, 12) * 32 + Math.min(letters, 20), 111));
}

/** The last four digits before the end look like a year of birth. */
function yearLike(length: number): number {
  const end = codes[length - 1] === boundary ? length - 1 : length;
  if (end < 5) return 0;
  const value =
    ((codes[end - 4] as number) - 48) * 1000 +
    ((codes[end - 3] as number) - 48) * 100 +
    ((codes[end - 2] as number) - 48) * 10 +
    ((codes[end - 1] as number) - 48);
  return value >= 1940 && value <= 2026 ? 1 : 0;
}
