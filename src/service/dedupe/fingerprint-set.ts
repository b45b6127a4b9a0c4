import { createKeyedHash, type KeyedHash } from './keyed-hash.js';

/** A set of keys in eight bytes each. */
interface Seen {
  /** True if the key is new. Once `full`, unknown keys are always new. */
  add(key: string): boolean;
  /** The same for the key that was hashed last. */
  addHashed(): boolean;
  /** True once a key could not be stored. */
  readonly full: boolean;
  readonly size: number;
}

/** Keeps a run over five million distinct addresses below 150 MB. */
const defaultMaxEntries = 5_000_000;

const segmentBits = 8;
/** With eight pages per segment, five million keys fill the pages to three quarters. */
const pageSlots = 3200;
const pageLimit = pageSlots * 0.85;

/** An open-addressing table of 48-bit fingerprints. A tag of 0 is an empty slot. */
interface Page {
  low: Uint32Array;
  tag: Uint16Array;
  used: number;
  /** The segment of each slot, in the page shared by all. */
  segment: Uint8Array | null;
}

/**
 * 48-bit fingerprints and 8 bits for the segment: among five million keys, the chance of any collision is one in six
 * thousand.
 */
export function createSeen(maxEntries = defaultMaxEntries, hash: KeyedHash = createKeyedHash()): Seen {
  /** Small sets share one page, since a page per segment takes five megabytes. */
  let shared: Page | null = emptyPage(new Uint8Array(pageSlots));
  let segments: Page[][] = [];
  let size = 0;
  let full = false;

  const pageFor = (segment: number, tag: number): Page => {
    if (shared !== null) return shared;
    const pages = segments[segment] as Page[];
    if (pages.length === 0) pages.push(emptyPage());
    return pages[tag & (pages.length - 1)] as Page;
  };
  const spread = ({ low, tag, segment }: Page): void => {
    shared = null;
    segments = Array.from({ length: 2 ** segmentBits }, () => []);
    for (let slot = 0; slot < pageSlots; slot++) {
      const ofSlot = segment?.[slot] ?? 0;
      const fingerprint = tag[slot] as number;
      if (fingerprint !== 0) put(pageFor(ofSlot, fingerprint), low[slot] as number, fingerprint, ofSlot);
    }
  };
  const addHashed = (): boolean => {
    const low = hash.halves[0] as number;
    const high = hash.halves[1] as number;
    const tag = high & 0xffff || 1;
    const segment = high >>> (32 - segmentBits);
    const page = pageFor(segment, tag);
    const slot = find(page, low, tag, segment);
    if (page.tag[slot] !== 0) return false;
    if (size >= maxEntries) {
      full = true;
      return true;
    }
    size++;
    put(page, low, tag, segment, slot);
    if (page.used <= pageLimit) return true;
    if (page === shared) spread(page);
    else split(segments[segment] as Page[], segment);
    return true;
  };
  return {
    add: (key) => {
      hash.update(key);
      return addHashed();
    },
    addHashed,
    get full() {
      return full;
    },
    get size() {
      return size;
    },
  };
}

function emptyPage(segment: Uint8Array | null = null): Page {
  return { low: new Uint32Array(pageSlots), tag: new Uint16Array(pageSlots), used: 0, segment };
}

/** The slot of the fingerprint, or the empty slot for it. */
function find({ low: lows, tag: tags, segment: segments }: Page, low: number, tag: number, segment: number): number {
  let slot = Math.floor((low / 2 ** 32) * pageSlots);
  while (
    tags[slot] !== 0 &&
    (tags[slot] !== tag || lows[slot] !== low || (segments !== null && segments[slot] !== segment))
  ) {
    if (++slot === pageSlots) slot = 0;
  }
  return slot;
}

function put(page: Page, low: number, tag: number, segment: number, slot = find(page, low, tag, segment)): void {
  page.low[slot] = low;
  page.tag[slot] = tag;
  if (page.segment !== null) page.segment[slot] = segment;
  page.used++;
}

/** Doubles one segment. Its pages stay in use, so little is copied at once. */
function split(pages: Page[], segment: number): void {
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
      if (oldTag !== 0) put((oldTag & bit) === 0 ? page : twin, low[old] as number, oldTag, segment);
    }
    pages.push(twin);
  }
}
