import { randomBytes } from 'node:crypto';

/** A 64-bit hash as two numbers, `halves[0]` and `halves[1]`. */
export interface KeyedHash {
  halves: Uint32Array;
  update(key: string): void;
}

/**
 * HalfSipHash-1-3 with 64-bit output (Aumasson and Bernstein) over UTF-8, with a random key, so that collisions cannot
 * be prepared.
 */
export function createKeyedHash(): KeyedHash {
  const secret = randomBytes(8);
  const key0 = secret.readInt32LE(0);
  const key1 = secret.readInt32LE(4);
  const encoder = new TextEncoder();
  let bytes = new Uint8Array(4096);
  let words = new Int32Array(bytes.buffer);
  const halves = new Uint32Array(2);
  return {
    halves,
    update(key) {
      if (key.length * 3 + 4 > bytes.length) {
        bytes = new Uint8Array((key.length * 3 + 7) & ~3);
        words = new Int32Array(bytes.buffer);
      }
      // Encoding to bytes is faster than reading single characters.
      const length = encoder.encodeInto(key, bytes).written;
      const last = length >>> 2;
      for (let at = length; at < 4 * last + 3; at++) bytes[at] = 0;
      bytes[4 * last + 3] = length;
      let v0 = key0;
      let v1 = key1 ^ 0xee;
      let v2 = key0 ^ 0x6c796765;
      let v3 = key1 ^ 0x74656462;
      // One round per word, three after the last, and three more for the second half of the output.
      for (let step = 0; step <= last + 6; step++) {
        let word = 0;
        if (step <= last) {
          word = words[step] as number;
        } else if (step === last + 1) {
          v2 ^= 0xee;
        } else if (step === last + 4) {
          halves[0] = v1 ^ v3;
          v1 ^= 0xdd;
        }
        v3 ^= word;
        v0 = (v0 + v1) | 0;
        v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
        v0 = (v0 << 16) | (v0 >>> 16);
        v2 = (v2 + v3) | 0;
        v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
        v0 = (v0 + v3) | 0;
        v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
        v2 = (v2 + v1) | 0;
        v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
        v2 = (v2 << 16) | (v2 >>> 16);
        v0 ^= word;
      }
      halves[1] = v1 ^ v3;
    },
  };
}
