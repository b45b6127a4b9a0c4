import { randomBytes } from 'node:crypto';

/** Limits the memory of a run over many distinct addresses. */
const defaultMaxEntries = 5_000_000;

/**
 * A set of keys by their 64-bit hashes, in one flat table with open addressing: among five million keys, the chance of any
 * collision is one in a million.
 */
export function createHashSet(maxEntries = defaultMaxEntries) {
  const hash = createKeyedHash();
  /** Both halves of a hash; 0, 0 is an empty slot. */
  let table = new Uint32Array(2 * 2_048);
  let size = 0;
  let isFull = false;

  /** The index of the hash in the table, or of the empty slot for it. */
  const find = (low: number, high: number): number => {
    const mask = table.length - 1;
    let index = (high << 1) & mask;
    for (;;) {
      const found = table[index] as number;
      if ((found === low && table[index + 1] === high) || (found === 0 && table[index + 1] === 0)) return index;
      index = (index + 2) & mask;
    }
  };
  const grow = (): void => {
    const old = table;
    table = new Uint32Array(2 * old.length);
    for (let index = 0; index < old.length; index += 2) {
      const low = old[index] as number;
      const high = old[index + 1] as number;
      if (low === 0 && high === 0) continue;
      const slot = find(low, high);
      table[slot] = low;
      table[slot + 1] = high;
    }
  };
  const addHash = (half: number, high: number): boolean => {
    const low = half || 1;
    const slot = find(low, high);
    if (table[slot] !== 0) return false;
    if (size >= maxEntries) {
      isFull = true;
      return true;
    }
    table[slot] = low;
    table[slot + 1] = high;
    if (++size * 2.5 > table.length) grow();
    return true;
  };
  return {
    /** True if the key is new. Once `full`, unknown keys are always new. */
    add: (key: string) => {
      hash.update(key);
      return addHash(hash.halves[0] as number, hash.halves[1] as number);
    },
    /** Like `add`, for a hash. */
    addHash,
    hasHash: (low: number, high: number) => table[find(low || 1, high)] !== 0,
    /** True once a key could not be stored. */
    get full() {
      return isFull;
    },
    get size() {
      return size;
    },
  };
}

/**
 * HalfSipHash-1-3 with 64-bit output (Aumasson and Bernstein) over UTF-8, with a random key, so that collisions cannot
 * be prepared. A hash is two numbers, `halves[0]` and `halves[1]`.
 */
export function createKeyedHash() {
  const secret = randomBytes(8);
  const key0 = secret.readInt32LE(0);
  const key1 = secret.readInt32LE(4);
  const encoder = new TextEncoder();
  let bytes = new Uint8Array(4096);
  let words = new Int32Array(bytes.buffer);
  const halves = new Uint32Array(2);
  return {
    halves,
    update(key: string) {
      if (key.length * 3 + 4 > bytes.length) {
        bytes = new Uint8Array((key.length * 3 + 7) & ~3);
        words = new Int32Array(bytes.buffer);
      }
      // Encoding to bytes is faster than reading single characters.
      const length = encoder.encodeInto(key, bytes).written;
      const last = length >>> 2;
      for (let index = length; index < 4 * last + 3; index++) bytes[index] = 0;
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

/** Numbers 64-bit hashes in the order of their first occurrence, by open addressing. */
export class HashIndex {
  size = 0;
  /** The low half of a hash beside its number plus one; 0 is an empty slot. */
  private slots = new Uint32Array(2 * 2_048);
  /** The high halves, by number. */
  private highs = new Uint32Array(1_024);

  /** The number of a hash, added if missing. */
  add(halves: Uint32Array): number {
    const low = halves[0] as number;
    const high = halves[1] as number;
    const slot = this.findSlot(low, high);
    const number = this.slots[slot + 1] as number;
    if (number !== 0) return number - 1;
    this.slots[slot] = low;
    this.slots[slot + 1] = ++this.size;
    this.highs[this.size - 1] = high;
    if (this.size === this.highs.length) this.grow();
    return this.size - 1;
  }

  /** Calls `use` with each hash. */
  forEach(use: (low: number, high: number) => void): void {
    for (let slot = 0; slot < this.slots.length; slot += 2) {
      const found = this.slots[slot + 1] as number;
      if (found !== 0) use(this.slots[slot] as number, this.highs[found - 1] as number);
    }
  }

  private findSlot(low: number, high: number): number {
    const { slots, highs } = this;
    const mask = slots.length - 1;
    let slot = (low << 1) & mask;
    for (let found = slots[slot + 1] as number; found !== 0; found = slots[slot + 1] as number) {
      if (slots[slot] === low && highs[found - 1] === high) break;
      slot = (slot + 2) & mask;
    }
    return slot;
  }

  private grow(): void {
    const old = this.slots;
    const highs = new Uint32Array(2 * this.highs.length);
    highs.set(this.highs);
    this.highs = highs;
    this.slots = new Uint32Array(2 * old.length);
    for (let slot = 0; slot < old.length; slot += 2) {
      const found = old[slot + 1] as number;
      if (found === 0) continue;
      const place = this.findSlot(old[slot] as number, highs[found - 1] as number);
      this.slots[place] = old[slot] as number;
      this.slots[place + 1] = found;
    }
  }
}
