import { randomBytes } from 'node:crypto';

/** Limits the memory of a run over many distinct addresses. */
const defaultMaxEntries = 5_000_000;

/**
 * A set of keys by their 64-bit hashes, in one flat table with open addressing: among five million keys, the chance of any
 * collision is one in a million.
 */
export function createHashSet(maxEntries = defaultMaxEntries, hash: KeyedHash = createKeyedHash()) {
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
  const addHashed = (): boolean => {
    const high = hash.halves[1] as number;
    const low = (hash.halves[0] as number) || 1;
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
      return addHashed();
    },
    /** Like `add`, for the key that was hashed last. */
    addHashed,
    /** True once a key could not be stored. */
    get full() {
      return isFull;
    },
    get size() {
      return size;
    },
  };
}

/** A 64-bit hash as two numbers, `halves[0]` and `halves[1]`. */
type KeyedHash = ReturnType<typeof createKeyedHash>;

/**
 * HalfSipHash-1-3 with 64-bit output (Aumasson and Bernstein) over UTF-8, with a random key, so that collisions cannot
 * be prepared.
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
  private hashes = new Uint32Array(2 * 1_024);
  /** Numbers plus one; 0 is an empty slot. */
  private slots = new Uint32Array(2_048);

  /** The number of a hash, added if missing. */
  add(halves: Uint32Array): number {
    const low = halves[0] as number;
    const high = halves[1] as number;
    const slot = this.findSlot(low, high);
    const number = this.slots[slot] as number;
    if (number !== 0) return number - 1;
    this.hashes[2 * this.size] = low;
    this.hashes[2 * this.size + 1] = high;
    this.slots[slot] = ++this.size;
    if (2 * this.size === this.hashes.length) this.grow();
    return this.size - 1;
  }

  private findSlot(low: number, high: number): number {
    const { slots, hashes } = this;
    let slot = low & (slots.length - 1);
    for (let found = slots[slot] as number; found !== 0; found = slots[slot] as number) {
      if (hashes[2 * found - 2] === low && hashes[2 * found - 1] === high) break;
      slot = (slot + 1) & (slots.length - 1);
    }
    return slot;
  }

  private grow(): void {
    const old = this.hashes;
    this.hashes = new Uint32Array(2 * old.length);
    this.hashes.set(old);
    this.slots = new Uint32Array(2 * this.slots.length);
    for (let index = 0; index < this.size; index++) {
      this.slots[this.findSlot(old[2 * index] as number, old[2 * index + 1] as number)] = index + 1;
    }
  }
}
