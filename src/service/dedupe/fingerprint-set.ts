import { randomBytes } from 'node:crypto';

/** Remembers which keys came by, in eight bytes each. */
export interface Seen {
  /** True when the key is new. Once `full`, a key that was not remembered is new each time. */
  add(key: string): boolean;
  /** True once a key could not be remembered. */
  readonly full: boolean;
  readonly size: number;
}

/** Keeps a whole run over five million distinct addresses below 150 MB. */
const defaultMaxEntries = 5_000_000;

const segmentBits = 8;
/** With eight pages to each segment, five million keys fill the pages to three quarters. */
const pageSlots = 3200;
const pageLimit = pageSlots * 0.85;

/** An open-addressing table of 48-bit fingerprints. A tag of 0 is an empty slot. */
interface Page {
  low: Uint32Array;
  tag: Uint16Array;
  used: number;
}

/**
 * A set of fingerprints instead of strings: 48 bits beside the 8 that choose the segment, so in a run of five million keys the
 * chance that any is taken for another is one in six thousand. The hash is keyed at random: nobody can prepare collisions.
 */
export function createSeen(maxEntries = defaultMaxEntries): Seen {
  const hash = createHash();
  const segments: Page[][] = Array.from({ length: 2 ** segmentBits }, () => []);
  let size = 0;
  let full = false;
  return {
    add(key) {
      hash.update(key);
      const low = hash.halves[0] as number;
      const high = hash.halves[1] as number;
      const tag = high & 0xffff || 1;
      const pages = segments[high >>> (32 - segmentBits)] as Page[];
      if (pages.length === 0) pages.push(emptyPage());
      const page = pages[tag & (pages.length - 1)] as Page;
      const slot = find(page, low, tag);
      if (page.tag[slot] !== 0) return false;
      if (size >= maxEntries) {
        full = true;
        return true;
      }
      size++;
      page.low[slot] = low;
      page.tag[slot] = tag;
      if (++page.used > pageLimit) split(pages);
      return true;
    },
    get full() {
      return full;
    },
    get size() {
      return size;
    },
  };
}

function emptyPage(): Page {
  return { low: new Uint32Array(pageSlots), tag: new Uint16Array(pageSlots), used: 0 };
}

/** The slot of the fingerprint, or the empty one where it belongs. */
function find({ low: lows, tag: tags }: Page, low: number, tag: number): number {
  let slot = Math.floor((low / 2 ** 32) * pageSlots);
  while (tags[slot] !== 0 && (tags[slot] !== tag || lows[slot] !== low)) {
    if (++slot === pageSlots) slot = 0;
  }
  return slot;
}

/** Doubles one segment. Its pages stay in use, so growing neither copies much at once nor leaves garbage behind. */
function split(pages: Page[]): void {
  const bit = pages.length;
  for (let index = 0; index < bit; index++) {
    const page = pages[index] as Page;
    const low = page.low.slice();
    const tag = page.tag.slice();
    const twin = emptyPage();
    page.tag.fill(0);
    page.used = 0;
    for (let old = 0; old < pageSlots; old++) {
      const oldTag = tag[old] as number;
      if (oldTag === 0) continue;
      const target = (oldTag & bit) === 0 ? page : twin;
      const slot = find(target, low[old] as number, oldTag);
      target.low[slot] = low[old] as number;
      target.tag[slot] = oldTag;
      target.used++;
    }
    pages.push(twin);
  }
}

/** Gives 64 bits as two numbers: `halves[0]` and `halves[1]`. */
interface Hash {
  halves: Uint32Array;
  update(key: string): void;
}

/** HalfSipHash-1-3 with 64 bits out (Aumasson and Bernstein; the kernel's choice for its hash tables), over UTF-8. */
function createHash(): Hash {
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
      // Into bytes first: that is twice as fast as asking a string for its characters one by one.
      const length = encoder.encodeInto(key, bytes).written;
      const last = length >>> 2;
      for (let at = length; at < 4 * last + 3; at++) bytes[at] = 0;
      bytes[4 * last + 3] = length;
      let v0 = key0;
      let v1 = key1 ^ 0xee;
      let v2 = key0 ^ 0x6c796765;
      let v3 = key1 ^ 0x74656462;
      // One round for each word, three behind the last word, and three more for the second half of the output.
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
