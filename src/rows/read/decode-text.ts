import { isAscii, isUtf8 } from 'node:buffer';
import { type Encoding, isShiftJis } from './encoding.js';

/** Lines that were not what the rest of the input is. */
export interface OddLines {
  /** Where the first of them begins, in characters of the decoded text. */
  firstAt: number;
  lines: number;
  /** What they were read as; null where it is the replacement character U+FFFD that stands for what could not be read. */
  readAs: string | null;
}

/** Turns bytes, cut anywhere, into text. What comes out does not depend on where they were cut. */
export interface Decoder {
  decode(bytes: Uint8Array): string;
  /** What is left when the input ends. */
  end(): string;
  /** Null while everything could be decoded. */
  odd(): OddLines | null;
  /** True once text beyond ASCII was met that is what the encoding says. */
  sound(): boolean;
}

const byteOrderMark = 0xfeff;

/** A decoder that drops a leading byte order mark, and the Ctrl-Z with which old programs end a file. */
export function createDecoder(encoding: Encoding): Decoder {
  const inner =
    encoding === 'mixed'
      ? lineByLine()
      : encoding === 'utf-16le' || encoding === 'utf-16be'
        ? utf16(encoding)
        : declared(encoding);
  let started = false;
  let dropped = 0;
  const withoutMark = (text: string): string => {
    if (started || text === '') return text;
    started = true;
    dropped = text.charCodeAt(0) === byteOrderMark ? 1 : 0;
    return text.slice(dropped);
  };
  return {
    ...inner,
    odd: () => {
      const odd = inner.odd();
      return odd === null ? null : { ...odd, firstAt: odd.firstAt - dropped };
    },
    decode: (bytes) => withoutMark(inner.decode(bytes)),
    end: () => withoutMark(inner.end()).replace(/(^|[\r\n])\x1a+$/, '$1'),
  };
}

/** A line longer than this is decoded in blocks, so that none fills the memory. */
const maxLineBytes = 1024 * 1024;
const maxJudgedLines = 200;
const empty: Buffer = Buffer.alloc(0);

/**
 * Each line is UTF-8 where it is valid UTF-8 (by simdutf, about five times as fast as a streaming TextDecoder), and else Shift-JIS or
 * windows-1252: exports are glued together from files of several programs.
 */
function lineByLine(): Decoder {
  let carry = empty;
  let given = 0;
  let sound = false;
  let odd: OddLines | null = null;

  const decodeLine = (line: Buffer, at: number): string => {
    if (isAscii(line)) return line.toString('latin1');
    if (isUtf8(line)) {
      sound = true;
      return line.toString('utf8');
    }
    odd ??= { firstAt: at, lines: 0, readAs: isShiftJis(line) ? 'shift_jis' : 'windows-1252' };
    odd.lines++;
    // The first word may have been too short to tell.
    if (odd.readAs === 'windows-1252' && odd.lines < maxJudgedLines && isShiftJis(line)) odd.readAs = 'shift_jis';
    return odd.readAs === 'shift_jis' ? shiftJis.decode(line) : decode1252(line);
  };
  const decodeLines = (bytes: Buffer): string => {
    let text = '';
    if (isAscii(bytes)) text = bytes.toString('latin1');
    else if (isUtf8(bytes)) {
      sound = true;
      text = bytes.toString('utf8');
    } else {
      for (let at = 0; at < bytes.length; ) {
        const end = nextLine(bytes, at);
        text += decodeLine(bytes.subarray(at, end), given + text.length);
        at = end;
      }
    }
    given += text.length;
    return text;
  };

  return {
    decode(piece) {
      let bytes = carry.length === 0 ? view(piece) : Buffer.concat([carry, piece]);
      const whole = Math.max(bytes.lastIndexOf(10), bytes.lastIndexOf(13)) + 1;
      let text = whole === 0 ? '' : decodeLines(bytes.subarray(0, whole));
      bytes = bytes.subarray(whole);
      for (; bytes.length > maxLineBytes; ) {
        const block = maxLineBytes - cutOff(bytes.subarray(0, maxLineBytes));
        text += decodeLines(bytes.subarray(0, block));
        bytes = bytes.subarray(block);
      }
      carry = Buffer.from(bytes);
      return text;
    },
    end() {
      const last = carry;
      carry = empty;
      return decodeLines(last);
    },
    odd: () => odd,
    sound: () => sound,
  };
}

function nextLine(bytes: Buffer, from: number): number {
  const feed = bytes.indexOf(10, from);
  const stop = feed === -1 ? bytes.length : feed + 1;
  const turn = bytes.subarray(from, stop).indexOf(13);
  return turn === -1 || from + turn + 2 === stop ? stop : from + turn + 1;
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

const shiftJis = new TextDecoder('shift_jis');

/** The characters of 0x80 … 0x9F (WHATWG Encoding, index windows-1252); elsewhere it is ISO 8859-1. */
const c1 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** By hand: some releases of Node give the control characters of ISO 8859-1 here. */
function decode1252(bytes: Uint8Array): string {
  return view(bytes)
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (char) => c1.charAt(char.charCodeAt(0) - 0x80));
}

/** Everything in the one encoding that the user named. */
function declared(encoding: string): Decoder {
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  let given = 0;
  let odd: OddLines | null = null;
  const watch = (text: string): string => {
    for (let at = text.indexOf('\ufffd'); at !== -1; ) {
      odd ??= { firstAt: given + at, lines: 0, readAs: null };
      odd.lines++;
      const feed = text.indexOf('\n', at);
      at = feed === -1 ? -1 : text.indexOf('\ufffd', feed);
    }
    given += text.length;
    return text;
  };
  const single = encoding === 'windows-1252';
  return {
    decode: (bytes) => watch(single ? decode1252(bytes) : decoder.decode(bytes, { stream: true })),
    end: () => watch(single ? '' : decoder.decode()),
    odd: () => odd,
    sound: () => true,
  };
}

function utf16(encoding: Encoding): Decoder {
  let carry = empty;
  let given = 0;
  return {
    decode(piece) {
      const bytes = Buffer.concat([carry, piece]);
      const whole = bytes.length - (bytes.length % 2);
      carry = bytes.subarray(whole);
      const units = bytes.subarray(0, whole);
      const text = (encoding === 'utf-16be' ? units.swap16() : units).toString('utf16le');
      given += text.length;
      return text;
    },
    end: () => (carry.length === 0 ? '' : '\ufffd'),
    odd: () => (carry.length === 0 ? null : { firstAt: given, lines: 1, readAs: null }),
    sound: () => true,
  };
}

function view(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
