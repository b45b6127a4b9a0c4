/** The code between words, and at both ends. */
export const boundary = 1;

/** 64 characters of a local part (RFC 5321 §4.5.3.1.1), and a boundary at each end. */
export const maxCodes = 66;

/** Whether the local part folded last may have capitals, or digits. */
export const lastFold = { capitals: false, digits: false };

const plus = 43;
const zero = 48;
const nine = 57;
/** One code for all scripts that have too many letters, or too few names in the training data. */
const otherScript = 0x4e00;

/** Writes a local part without its tag as lower-case codes without diacritics, separators as boundaries; returns the length. */
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
    // Of ASCII, only capitals fold to a larger code.
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
    if (folded === droppedCode || (folded === boundary && last === boundary)) continue;
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

const droppedCode = 0;
const tableEnd = 0x180;

/** Letters that do not decompose, and the ASCII letters that people type for them. */
const asciiSpellings = new Map(
  [...'ßæøœđðłıþəħŋ'].flatMap((letter, index) =>
    [letter, letter.toUpperCase()].map((form): [number, number] => [
      form.charCodeAt(0),
      'saooddlitehn'.charCodeAt(index),
    ]),
  ),
);
/** Drops combining marks; keeps Greek, Cyrillic, Hebrew and Arabic; maps every other script to one code. */
function foldedBeyondAscii(code: number): number {
  if (code >= 0x300 && code <= 0x36f) return droppedCode;
  if (code < 0x370) return asciiSpellings.get(code) ?? code;
  if (code === 0x3c2) return 0x3c3;
  if ((code >= 0x391 && code <= 0x3a9) || (code >= 0x410 && code <= 0x42f)) return code + 32;
  if (code >= 0x400 && code <= 0x40f) return code + 80;
  return code < 0x700 && !(code >= 0x530 && code <= 0x58f) ? code : otherScript;
}

/** The folded form of each code below 0x180, so that western names need no normalization. */
const foldedLatin = Uint16Array.from({ length: tableEnd }, (_, code) => {
  if (code < 128) return foldedAscii(code);
  const base = String.fromCharCode(code).normalize('NFD').charCodeAt(0);
  return base < 128 ? foldedAscii(base) : foldedBeyondAscii(base);
});
