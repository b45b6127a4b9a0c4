import { isAscii, isUtf8 } from 'node:buffer';
import type { Decoder, OddLines } from './decoder.js';
import { type Guess, guessEncoding, usual } from './guess-encoding.js';
import { bufferOf, decode1252 } from './windows-1252.js';

/** A line longer than this is decoded in blocks, so that none fills the memory. */
const maxLineBytes = 1024 * 1024;
/** What an old encoding is told by: so many lines in it at most, and so much that is held back until it is told. */
const enoughLines = 20;
const fewLines = 5;
const maxHeldBytes = 64 * 1024;

/**
 * Each line is UTF-8 where it is valid UTF-8 (by simdutf, about five times as fast as a streaming TextDecoder), and else in the one old
 * encoding that such lines of the input speak for: exports are glued together from files of several programs. From the first such
 * line on, text is held back until that is told; how much, depends on the text alone.
 */
export function lineByLine(): Decoder {
  /** The beginning of a line that goes on, in the pieces that it came in: joined with each of them it would be copied as often. */
  let carry: Buffer[] = [];
  let carried = 0;
  let held: Buffer[] = [];
  let given = 0;
  let sound = false;
  let odd: OddLines | null = null;
  const old = openOldEncoding();

  const decodeLine = (line: Buffer, at: number): string => {
    if (isAscii(line)) return line.toString('latin1');
    if (isUtf8(line)) {
      sound = true;
      return line.toString('utf8');
    }
    const { encoding, sure } = old.settle();
    odd ??= { firstAt: at, lines: 0, readAs: encoding, sure, strangers: 0 };
    odd.lines++;
    const text = old.decode(line);
    if (text === null) odd.strangers++;
    return text ?? decode1252(line);
  };
  const decodeLines = (bytes: Buffer): string => {
    let text = '';
    if (isAscii(bytes)) text = bytes.toString('latin1');
    else if (isUtf8(bytes)) {
      sound = true;
      text = bytes.toString('utf8');
    } else {
      for (const line of linesOf(bytes)) text += decodeLine(line, given + text.length);
    }
    given += text.length;
    return text;
  };
  const release = (): string => {
    old.settle();
    const bytes = Buffer.concat(held);
    held = [];
    return decodeLines(bytes);
  };
  /** Whole lines, or as much of one as is decoded at a time. */
  const take = (bytes: Buffer): string => {
    if (old.isSettled() || (held.length === 0 && isUtf8(bytes))) return decodeLines(bytes);
    let text = '';
    for (const line of linesOf(bytes)) {
      if (!isUtf8(line)) old.learn(line);
      else if (held.length === 0) text += decodeLines(line);
      if (!isUtf8(line) || held.length > 0) held.push(Buffer.from(line));
      if (old.isSettled() || lengthOf(held) > maxHeldBytes) {
        const rest = bytes.subarray(line.byteOffset - bytes.byteOffset + line.length);
        return text + release() + decodeLines(rest);
      }
    }
    return text;
  };

  const carryOn = (bytes: Buffer): void => {
    if (bytes.length > 0) carry.push(Buffer.from(bytes));
    carried += bytes.length;
  };
  const takeCarried = (): Buffer => {
    const bytes = Buffer.concat(carry);
    carry = [];
    carried = 0;
    return bytes;
  };

  return {
    decode(piece) {
      let bytes = bufferOf(piece);
      const goesOn = carried + bytes.length <= maxLineBytes && !bytes.includes(10) && !bytes.includes(13);
      if (goesOn) {
        carryOn(bytes);
        return '';
      }
      if (carried > 0) bytes = Buffer.concat([takeCarried(), bytes]);
      const whole = Math.max(bytes.lastIndexOf(10), bytes.lastIndexOf(13)) + 1;
      let text = whole === 0 ? '' : take(bytes.subarray(0, whole));
      bytes = bytes.subarray(whole);
      for (; bytes.length > maxLineBytes; ) {
        const block = maxLineBytes - cutOff(bytes.subarray(0, maxLineBytes));
        text += take(bytes.subarray(0, block));
        bytes = bytes.subarray(block);
      }
      carryOn(bytes);
      return text;
    },
    end() {
      const text = take(takeCarried());
      return text + release();
    },
    odd: () => odd,
    sound: () => sound,
  };
}

/** Finds out what the lines that are not UTF-8 are in, and decodes them. */
function openOldEncoding() {
  const lines: Buffer[] = [];
  let guess: Guess | null = null;
  let decoder: TextDecoder | null = null;
  const settle = (): Guess => {
    guess ??= guessEncoding(lines);
    if (guess.encoding !== usual) decoder ??= new TextDecoder(guess.encoding, { fatal: true });
    return guess;
  };
  return {
    isSettled: () => guess !== null,
    settle,
    learn: (line: Buffer): void => {
      lines.push(Buffer.from(line.subarray(0, maxHeldBytes)));
      const soFar = guessEncoding(lines);
      const isCertain = soFar.sure && (lines.length >= fewLines || soFar.encoding === usual);
      if (isCertain || lines.length >= enoughLines) settle();
    },
    /** Null where the line is in another one. */
    decode: (line: Buffer): string | null => {
      if (decoder === null) return decode1252(line);
      try {
        return decoder.decode(line);
      } catch {
        return null;
      }
    },
  };
}

function lengthOf(parts: readonly Buffer[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

function* linesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const end = nextLine(bytes, at);
    yield bytes.subarray(at, end);
    at = end;
  }
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
