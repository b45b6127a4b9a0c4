/** Lines in another encoding than the rest of the input. */
export interface ForeignLines {
  /** Where the first of them begins, in characters of the decoded text. */
  firstOffset: number;
  lines: number;
  /** The encoding that was used for them; null if U+FFFD replaces bytes that could not be decoded. */
  decodedAs: string | null;
  isCertain: boolean;
  /** How many of them were not valid in that encoding either, and were read as windows-1252. */
  fallbacks: number;
}

/** Turns bytes, split anywhere, into text. The result does not depend on where they are split. */
export interface Decoder {
  decode(bytes: Uint8Array): string;
  /** The rest of the text when the input ends. */
  end(): string;
  /** Null while all text was in one encoding. */
  foreignLines(): ForeignLines | null;
  /** True once there was non-ASCII text in the encoding of the input. */
  hasRegularText(): boolean;
}

/** The characters of 0x80 … 0x9F (WHATWG Encoding, index windows-1252); elsewhere it equals ISO 8859-1. */
const c1 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** Decodes windows-1252. Some Node releases return control characters of ISO 8859-1 for 0x80 … 0x9F. */
export function decode1252(bytes: Uint8Array): string {
  return bufferOf(bytes)
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (char) => c1.charAt(char.charCodeAt(0) - 0x80));
}

/** A Buffer on the same memory. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
