import { unicodePattern } from './unicode-pattern.js';

/** Bits of `asciiKinds`. */
export const atext = 1;
export const letterOrDigit = 2;
export const upperCase = 4;
export const letter = 8;
export const plusSign = 16;

/** The kinds of each ASCII character: atext of RFC 5322 §3.2.3, Let-dig of RFC 5321 §4.1.2. */
export const asciiKinds = kindsOfAscii();

function kindsOfAscii(): Uint8Array {
  const kinds = new Uint8Array(128);
  const addKind = (characters: string, kind: number): void => {
    for (let i = 0; i < characters.length; i++) kinds[characters.charCodeAt(i)] = kind;
  };
  addKind("!#$%&'*+-/=?^_`{|}~", atext);
  addKind('+', atext | plusSign);
  addKind('0123456789', atext | letterOrDigit);
  addKind('abcdefghijklmnopqrstuvwxyz', atext | letterOrDigit | letter);
  addKind('ABCDEFGHIJKLMNOPQRSTUVWXYZ', atext | letterOrDigit | letter | upperCase);
  return kinds;
}

/** Whether a UTF-16 unit may stand in a dot-string: atext, or part of a UTF-8 character (RFC 6531 §3.3). */
export function isAtext(code: number): boolean {
  return code > 127 || ((asciiKinds[code] ?? 0) & atext) !== 0;
}

export function isLetterOrDigit(code: number): boolean {
  return code < 128 && ((asciiKinds[code] ?? 0) & letterOrDigit) !== 0;
}

export function isLetter(code: number): boolean {
  return code < 128 && ((asciiKinds[code] ?? 0) & letter) !== 0;
}

export function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}

/** The length of a text in UTF-8. */
export function octetsOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

const visible = unicodePattern(String.raw`^[\p{L}\p{N}\p{P}\p{S}]$`);

/** The name of a character in messages: quoted if visible, otherwise its code point. */
export function nameCharacter(character: string): string {
  const codePoint = character.codePointAt(0) ?? 0;
  const name = `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
  if (codePoint > 0x20 && codePoint < 0x7f) return character === '"' ? `'"'` : `"${character}"`;
  return visible().test(character) ? `"${character}" (${name})` : name;
}

export function characterAt(text: string, index: number): string {
  return String.fromCodePoint(text.codePointAt(index) ?? 0);
}
