import { isAscii, isUtf8 } from 'node:buffer';

/** The encodings a list may be in. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** Turns bytes, cut anywhere, into text. */
export interface Decoder {
  decode(bytes: Uint8Array): string;
  /** What is left of a character that the input cut off. */
  end(): string;
  /** True once bytes were met that are no text in this encoding; U+FFFD stands in their place. */
  lossy(): boolean;
}

/** A decoder that drops a leading byte order mark. */
export function createDecoder(encoding: Encoding): Decoder {
  const inner = encoding === 'utf-8' ? utf8() : encoding === 'windows-1252' ? windows1252() : utf16(encoding);
  let started = false;
  return {
    ...inner,
    decode(bytes) {
      const text = inner.decode(bytes);
      if (started || text === '') return text;
      started = true;
      return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
    },
  };
}

/**
 * UTF-8 by simdutf, about five times as fast as a streaming TextDecoder. A list that begins in plain ASCII may be in windows-1252 all
 * the same: where the first other bytes are no UTF-8, the rest is read as windows-1252.
 */
function utf8(): Decoder {
  const fallback = windows1252();
  let carry: Buffer = Buffer.alloc(0);
  let onlyAscii = true;
  let single = false;
  let lossy = false;

  const decodeWhole = (bytes: Buffer): string => {
    if (isAscii(bytes)) return bytes.toString('latin1');
    const text = bytes.toString('utf8');
    if (!isUtf8(bytes)) {
      single = onlyAscii && mostlyBroken(text);
      lossy = !single;
    }
    onlyAscii = false;
    return single ? fallback.decode(bytes) : text;
  };

  return {
    decode(piece) {
      const bytes = carry.length === 0 ? view(piece) : Buffer.concat([carry, piece]);
      if (single) return fallback.decode(piece);
      const whole = bytes.length - cutOff(bytes);
      carry = Buffer.from(bytes.subarray(whole));
      const text = decodeWhole(bytes.subarray(0, whole));
      if (!single) return text;
      const tail = fallback.decode(carry);
      carry = Buffer.alloc(0);
      return text + tail;
    },
    end() {
      const text = decodeWhole(carry);
      carry = Buffer.alloc(0);
      return text;
    },
    lossy: () => lossy,
  };
}

/** True for windows-1252 read as UTF-8; false for UTF-8 that a stray byte got into. */
function mostlyBroken(text: string): boolean {
  const broken = text.match(/\ufffd/g)?.length ?? 0;
  const sound = text.match(/[^\0-\x7f\ufffd]/g)?.length ?? 0;
  return broken >= sound;
}

/** How many bytes at the end begin a UTF-8 character without ending it (RFC 3629, section 3). */
function cutOff(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

/** The characters of 0x80 … 0x9F (WHATWG Encoding, index windows-1252); elsewhere it is ISO 8859-1. */
const c1 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

function windows1252(): Decoder {
  return {
    decode: (bytes) =>
      view(bytes)
        .toString('latin1')
        .replace(/[\x80-\x9f]/g, (char) => c1.charAt(char.charCodeAt(0) - 0x80)),
    end: () => '',
    lossy: () => false,
  };
}

function utf16(encoding: 'utf-16le' | 'utf-16be'): Decoder {
  let carry: Buffer = Buffer.alloc(0);
  return {
    decode(piece) {
      const bytes = Buffer.concat([carry, piece]);
      const whole = bytes.length - (bytes.length % 2);
      carry = bytes.subarray(whole);
      const units = bytes.subarray(0, whole);
      return (encoding === 'utf-16be' ? units.swap16() : units).toString('utf16le');
    },
    end: () => (carry.length === 0 ? '' : '\ufffd'),
    lossy: () => carry.length > 0,
  };
}

function view(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
