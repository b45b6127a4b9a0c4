import { mix } from './features.js';

/** Bytes of the lexicon, a Bloom filter of n-grams and words, and bits that each entry sets. */
export const lexiconSize = 312_500;
const bitsPerEntry = 6;

/** Calls `visit` with each bit of a hash until it gives false; tells whether it never did. */
export function everyBit(hash: number, visit: (byte: number, mask: number) => boolean): boolean {
  const first = mix(hash);
  const step = mix(first ^ 0x5bd1e995) | 1;
  for (let at = 0, bits = first; at < bitsPerEntry; at++, bits = (bits + step) >>> 0) {
    const bit = bits % (8 * lexiconSize);
    if (!visit(bit >> 3, 1 << (bit & 7))) return false;
  }
  return true;
}

export function isInLexicon(lexicon: Uint8Array, hash: number): boolean {
  return everyBit(hash, (byte, mask) => ((lexicon[byte] as number) & mask) !== 0);
}
