import { isAscii, isUtf8 } from 'node:buffer';
import { type ByteDecoder, createByteDecoder } from './byte-decoder.js';
import { bufferOf, type Decoder, decode1252, type ForeignLines } from './decoder.js';
import { type EncodingGuess, fallbackEncoding, guessEncoding } from './guess-encoding.js';

/** A longer line is decoded in blocks, to bound memory. */
const maxLineBytes = 1024 * 1024;
/** The legacy encoding is decided after this many lines in it, after fewer if it is certain, or after this much held text. */
const maxLearnedLines = 20;
const minLearnedLines = 5;
const maxHeldBytes = 64 * 1024;

const lineFeed = 10;
const carriageReturn = 13;

/**
 * Decodes each line as UTF-8 if it is valid, otherwise in one legacy encoding for the whole input: exports are concatenated from
 * files of several programs. From the first line that is not UTF-8 on, text is held until that encoding is decided.
 */
export class LineDecoder implements Decoder {
  /** The beginning of the current line, in the pieces it arrived in: joining them each time would take quadratic time. */
  #carry: Buffer[] = [];
  #carriedBytes = 0;
  /** Lines that wait for the decision. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** The number of decoded characters. */
  #offset = 0;
  #hasUtf8 = false;
  #foreign: ForeignLines | null = null;
  readonly #legacy = new LegacyEncoding();

  decode(piece: Uint8Array): string {
    let bytes = bufferOf(piece);
    const hasLineEnd = bytes.includes(lineFeed) || bytes.includes(carriageReturn);
    if (!hasLineEnd && this.#carriedBytes + bytes.length <= maxLineBytes) {
      this.#addToCarry(bytes);
      return '';
    }
    if (this.#carriedBytes > 0) bytes = Buffer.concat([this.#takeCarry(), bytes]);
    const linesEnd = Math.max(bytes.lastIndexOf(lineFeed), bytes.lastIndexOf(carriageReturn)) + 1;
    let text = linesEnd === 0 ? '' : this.#decodeOrHold(bytes.subarray(0, linesEnd));
    bytes = bytes.subarray(linesEnd);
    while (bytes.length > maxLineBytes) {
      const block = maxLineBytes - incompleteBytes(bytes.subarray(0, maxLineBytes));
      text += this.#decodeOrHold(bytes.subarray(0, block));
      bytes = bytes.subarray(block);
    }
    this.#addToCarry(bytes);
    return text;
  }

  end(): string {
    const text = this.#decodeOrHold(this.#takeCarry());
    return text + this.#release();
  }

  foreignLines(): ForeignLines | null {
    return this.#foreign;
  }

  hasRegularText(): boolean {
    return this.#hasUtf8;
  }

  /** Decodes whole lines, or blocks of a long one; holds them from the first that is not UTF-8 until the encoding is decided. */
  #decodeOrHold(bytes: Buffer): string {
    if (this.#legacy.isDecided || (this.#held.length === 0 && isUtf8(bytes))) return this.#decodeLines(bytes);
    let text = '';
    for (const line of linesOf(bytes)) {
      const isValid = isUtf8(line);
      if (!isValid) this.#legacy.learn(line);
      if (isValid && this.#held.length === 0) text += this.#decodeLines(line);
      else this.#hold(line);
      if (this.#legacy.isDecided || this.#heldBytes > maxHeldBytes) {
        const remainder = bytes.subarray(line.byteOffset - bytes.byteOffset + line.length);
        return text + this.#release() + this.#decodeLines(remainder);
      }
    }
    return text;
  }

  #hold(line: Buffer): void {
    this.#held.push(Buffer.from(line));
    this.#heldBytes += line.length;
  }

  #release(): string {
    this.#legacy.decide();
    const bytes = Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    return this.#decodeLines(bytes);
  }

  #decodeLines(bytes: Buffer): string {
    let text = '';
    // Node's own routines are several times as fast as a streaming TextDecoder.
    if (isAscii(bytes)) text = bytes.toString('latin1');
    else if (isUtf8(bytes)) {
      this.#hasUtf8 = true;
      text = bytes.toString('utf8');
    } else {
      for (const line of linesOf(bytes)) text += this.#decodeLine(line, this.#offset + text.length);
    }
    this.#offset += text.length;
    return text;
  }

  #decodeLine(line: Buffer, offset: number): string {
    if (isAscii(line)) return line.toString('latin1');
    if (isUtf8(line)) {
      this.#hasUtf8 = true;
      return line.toString('utf8');
    }
    const { encoding, isCertain } = this.#legacy.decide();
    this.#foreign ??= { firstOffset: offset, lines: 0, decodedAs: encoding, isCertain, fallbacks: 0 };
    this.#foreign.lines++;
    const text = this.#legacy.decode(line);
    if (text === null) this.#foreign.fallbacks++;
    return text ?? decode1252(line);
  }

  #addToCarry(bytes: Buffer): void {
    if (bytes.length > 0) this.#carry.push(Buffer.from(bytes));
    this.#carriedBytes += bytes.length;
  }

  #takeCarry(): Buffer {
    const bytes = Buffer.concat(this.#carry);
    this.#carry = [];
    this.#carriedBytes = 0;
    return bytes;
  }
}

/** The encoding of the lines that are not UTF-8. */
class LegacyEncoding {
  readonly #lines: Buffer[] = [];
  #guess: EncodingGuess | null = null;
  #decoder: ByteDecoder | null = null;

  get isDecided(): boolean {
    return this.#guess !== null;
  }

  /** Adds a line to the sample, and decides once there are enough. */
  learn(line: Buffer): void {
    this.#lines.push(Buffer.from(line.subarray(0, maxHeldBytes)));
    const isEnough = this.#lines.length >= minLearnedLines && guessEncoding(this.#lines).isCertain;
    if (isEnough || this.#lines.length >= maxLearnedLines) this.decide();
  }

  decide(): EncodingGuess {
    this.#guess ??= guessEncoding(this.#lines);
    if (this.#guess.encoding !== fallbackEncoding) {
      this.#decoder ??= createByteDecoder(this.#guess.encoding);
    }
    return this.#guess;
  }

  /** Null if the line is not valid in the encoding. */
  decode(line: Buffer): string | null {
    if (this.#decoder === null) return decode1252(line);
    try {
      return this.#decoder.decode(line);
    } catch {
      return null;
    }
  }
}

function* linesOf(bytes: Buffer): Generator<Buffer> {
  for (let index = 0; index < bytes.length; ) {
    const end = lineEndAfter(bytes, index);
    yield bytes.subarray(index, end);
    index = end;
  }
}

/** The position after the line that starts at `from`, and ends with LF, CR LF or CR. */
function lineEndAfter(bytes: Buffer, from: number): number {
  const feed = bytes.indexOf(lineFeed, from);
  const stop = feed === -1 ? bytes.length : feed + 1;
  const cr = bytes.subarray(from, stop).indexOf(carriageReturn);
  return cr === -1 || from + cr + 2 === stop ? stop : from + cr + 1;
}

/** How many bytes at the end begin a UTF-8 character without completing it (RFC 3629, section 3). */
function incompleteBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}
