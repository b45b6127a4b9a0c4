/** Stands between words, and at both ends. */
export const boundary = 1;

/** Local parts are no longer than this (RFC 5321 §4.5.3.1.1), and one boundary at either end. */
export const maxCodes = 66;

/** Whether the local part folded last may have capitals, and digits. */
export const lastFold = { capitals: false, digits: false };

const plus = 43;
const zero = 48;
const nine = 57;
/** One letter for every script whose letters are too many, or whose names too few here, to learn. */
const otherScript = 0x4e00;

/**
 * Writes a local part into `codes` as the model reads it: lower case, no diacritics, separators as boundaries, without its
 * tag. Returns how many codes there are.
 */
export function foldInto(codes: Uint16Array, localPart: string): number {
  let length = 1;
  let last = boundary;
  let capitals = false;
  let digits = false;
  codes[0] = boundary;
  for (let index = 0; index < localPart.length && length < maxCodes - 1; index++) {
    const code = localPart.charCodeAt(index);
    if (code >= tableEnd) return foldInternational(codes, localPart.normalize('NFD'));
    if (code === plus && length > 1) break;
    const folded = foldedLatin[code] as number;
    if (folded === boundary && last === boundary) continue;
    // Only a capital folds to a larger code.
    if (folded > code) capitals = true;
    if (folded <= nine && folded >= zero) digits = true;
    codes[length++] = folded;
    last = folded;
  }
  if (last !== boundary) codes[length++] = boundary;
  lastFold.capitals = capitals;
  lastFold.digits = digits;
  return length;
}

function foldInternational(codes: Uint16Array, text: string): number {
  lastFold.capitals = true;
  lastFold.digits = true;
  let length = 1;
  let last = boundary;
  codes[0] = boundary;
  for (let index = 0; index < text.length && length < maxCodes - 1; index++) {
    const code = text.charCodeAt(index);
    if (code === plus && length > 1) break;
    const folded = code < 128 ? foldedAscii(code) : foldedBeyondAscii(code);
    if (folded === dropped || (folded === boundary && last === boundary)) continue;
    codes[length++] = folded;
    last = folded;
  }
  if (last !== boundary) codes[length++] = boundary;
  return length;
}

function foldedAscii(code: number): number {
  if (code >= 97 && code <= 122) return code;
  if (code >= 65 && code <= 90) return code + 32;
  return code === 46 || code === 95 || code === 45 ? boundary : code;
}

const dropped = 0;
const tableEnd = 0x180;

/** Letters that do not decompose, by what people type for them. */
const typedAs = new Map(
  Object.entries({
    ß: 's',
    æ: 'a',
    ø: 'o',
    œ: 'o',
    đ: 'd',
    ð: 'd',
    ł: 'l',
    ı: 'i',
    þ: 't',
    ə: 'e',
    ħ: 'h',
    ŋ: 'n',
  }).flatMap(([letter, typed]) =>
    [letter, letter.toUpperCase()].map((form): [number, number] => [form.charCodeAt(0), typed.charCodeAt(0)]),
  ),
);

/** Combining marks are dropped; Greek, Cyrillic, Hebrew and Arabic stay; every other script is one letter. */
function foldedBeyondAscii(code: number): number {
  if (code >= 0x300 && code <= 0x36f) return dropped;
  if (code < 0x370) return typedAs.get(code) ?? code;
  if (code === 0x3c2) return 0x3c3;
  if ((code >= 0x391 && code <= 0x3a9) || (code >= 0x410 && code <= 0x42f)) return code + 32;
  if (code >= 0x400 && code <= 0x40f) return code + 80;
  return code < 0x700 && !(code >= 0x530 && code <= 0x58f) ? code : otherScript;
}

/** Each code below 0x180 as it is read, so that western names need no normalizing. */
const foldedLatin = Uint16Array.from({ length: tableEnd }, (_, code) => {
  if (code < 128) return foldedAscii(code);
  const base = String.fromCharCode(code).normalize('NFD').charCodeAt(0);
  return base < 128 ? foldedAscii(base) : foldedBeyondAscii(base);
});
