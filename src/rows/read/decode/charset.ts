import { isUtf8 } from 'node:buffer';
import type { Charset } from '../../../model/charset.js';

/** A Charset for a list that is being read. */
export interface OpenCharset extends Charset {
  /** The text of the next bytes. */
  read(bytes: Uint8Array): string;
  /** The rest of the text when the input ends. */
  end(): string;
}

/** What an address begins with whose encoding is only a guess. */
const undecoded = '\ufffd';

/** The charset of an input; `declared` is what its user or its first bytes say. `hasBars`: a bar may be its delimiter. */
export function openCharset(declared: string | null, language: string | undefined, hasBars = false): OpenCharset {
  if (declared === 'utf-16le' || declared === 'utf-16be') return utf16Charset(declared);
  // Its escape sequences hold bytes of quotes and commas.
  if (declared === 'iso-2022-jp') return decodedCharset(declared);
  // The second byte of a character may be that of a bar.
  if (hasBars && /^(?:shift_jis|gb|big5)/.test(declared ?? '')) return decodedCharset(declared ?? '', declared ?? '');
  return byteCharset(declared, language);
}

/**
 * Every byte is held as the character of that code (ISO 8859-1), so that all bytes are written back. A cell is shown in the
 * declared encoding, else as UTF-8 if it is valid, else in the encoding that is common for the user's language.
 */
function byteCharset(declared: string | null, language: string | undefined): OpenCharset {
  let guessed: Decode | null = null;
  let encode: ((text: string) => string) | null = null;
  const decode = declared === null ? null : decoderFor(declared);
  const fallback = (): string => encodingOf(language ?? Intl.DateTimeFormat().resolvedOptions().locale);
  const show = (held: string, guessMark: string): string => {
    if (isAscii(held)) return held;
    const bytes = Buffer.from(held, 'latin1');
    if (decode !== null) return decode(bytes);
    if (isUtf8(bytes)) return bytes.toString();
    guessed ??= decoderFor(fallback());
    return guessMark + guessed(bytes);
  };
  return {
    read: ({ buffer, byteOffset, length }) => Buffer.from(buffer, byteOffset, length).toString('latin1'),
    end: () => '',
    show: (held) => show(held, ''),
    showAddress: (held) => show(held, undecoded),
    hold: (text) => {
      if (isAscii(text)) return text;
      encode ??= encoderFor(declared ?? (guessed === null ? 'utf-8' : fallback()));
      return encode(text);
    },
    declared,
    toBytes: (held) => Buffer.from(held, 'latin1'),
    guessed: () => (guessed === null ? null : fallback()),
  };
}

/** Held as UTF-16, which keeps every code unit. */
function utf16Charset(declared: 'utf-16le' | 'utf-16be'): OpenCharset {
  const isBigEndian = declared === 'utf-16be';
  let carry: Buffer = Buffer.alloc(0);
  return {
    ...shownAsHeld,
    declared,
    read(piece) {
      const bytes = Buffer.concat([carry, piece]);
      const whole = bytes.length - (bytes.length % 2);
      carry = bytes.subarray(whole);
      const units = bytes.subarray(0, whole);
      return (isBigEndian ? units.swap16() : units).toString('utf16le');
    },
    end: () => (carry.length === 0 ? '' : '\ufffd'),
    toBytes: (held) => (isBigEndian ? Buffer.from(held, 'utf16le').swap16() : Buffer.from(held, 'utf16le')),
  };
}

/** Held as it is shown, and written as UTF-8 unless told otherwise. */
export function decodedCharset(encoding: string, written = 'utf-8'): OpenCharset {
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  let encode: ((text: string) => string) | null = null;
  return {
    ...shownAsHeld,
    declared: written === 'utf-8' ? null : written,
    read: (bytes) => decoder.decode(bytes, { stream: true }),
    end: () => decoder.decode(),
    toBytes: (held) => {
      if (written === 'utf-8') return Buffer.from(held);
      encode ??= encoderFor(written);
      return Buffer.from(encode(held), 'latin1');
    },
  };
}

const shownAsHeld = {
  show: (held: string): string => held,
  showAddress: (held: string): string => held,
  hold: (text: string): string => text,
  guessed: () => null,
};

type Decode = (bytes: Buffer) => string;

/** The characters of 0x80 … 0x9F (WHATWG Encoding, index windows-1252). Some Node releases return control characters. */
const c1 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

function decoderFor(encoding: string): Decode {
  if (encoding === 'windows-1252') {
    return (bytes) => bytes.toString('latin1').replace(/[\x80-\x9f]/g, (char) => c1.charAt(char.charCodeAt(0) - 0x80));
  }
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  return (bytes) => decoder.decode(bytes);
}

/** Encodes text as bytes, each held as a character. TextDecoder has no counterpart for legacy encodings. */
function encoderFor(encoding: string): (text: string) => string {
  if (encoding === 'utf-8') return (text) => Buffer.from(text).toString('latin1');
  const decode = decoderFor(encoding);
  const held = new Map<string, string>();
  const add = (...bytes: number[]): void => {
    const text = decode(Buffer.from(bytes));
    // A lead byte alone, or a pair that is no character, gives U+FFFD or two characters.
    if (text.length === 1 && text !== '\ufffd' && !held.has(text)) held.set(text, String.fromCharCode(...bytes));
  };
  for (let byte = 0; byte < 256; byte++) add(byte);
  if (/^(?:shift_jis|euc-|gb|big5)/.test(encoding)) {
    for (let lead = 0x81; lead < 0xff; lead++) for (let trail = 0x40; trail < 0xff; trail++) add(lead, trail);
  }
  return (text) => [...text].map((char) => held.get(char) ?? '?').join('');
}

/** The encodings that programs of a language wrote before UTF-8; windows-1252 for the others. */
const encodings: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['pl', 'cs', 'hu', 'sk', 'sl', 'hr', 'ro'].map((language) => [language, 'windows-1250'])),
  ...Object.fromEntries(['ru', 'uk', 'bg', 'be', 'sr', 'mk'].map((language) => [language, 'windows-1251'])),
  tr: 'windows-1254',
  el: 'windows-1253',
  ja: 'shift_jis',
  zh: 'gb18030',
  ko: 'euc-kr',
};

function encodingOf(locale: string): string {
  return encodings[locale.slice(0, 2).toLowerCase()] ?? 'windows-1252';
}

function isAscii(text: string): boolean {
  return !/[^\x00-\x7f]/.test(text);
}
