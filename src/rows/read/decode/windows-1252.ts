/** The characters of 0x80 … 0x9F (WHATWG Encoding, index windows-1252); elsewhere it is ISO 8859-1. */
const c1 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** Decodes windows-1252. By hand: some releases of Node give the control characters of ISO 8859-1 here. */
export function decode1252(bytes: Uint8Array): string {
  return bufferOf(bytes)
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (char) => c1.charAt(char.charCodeAt(0) - 0x80));
}

/** The same bytes. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
