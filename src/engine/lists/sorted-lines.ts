/** A text file of lines sorted by byte. */
export interface SortedLines {
  /** Whether the line `prefix + rest` exists. */
  has(suffix: string, prefix?: string): boolean;
}

const newline = 10;
/** Building the Bloom filter pays off after this many lookups. */
const bytesPerLookup = 256;
const minLookups = 256;

/** Reads the file on first use, and searches its bytes without parsing. */
export function openSortedLines(read: () => Uint8Array): SortedLines {
  let bytes: Uint8Array | undefined;
  let filter: Uint8Array | undefined;
  let lookups = 0;
  return {
    has(suffix, prefix = '') {
      bytes ??= read();
      if (filter === undefined && ++lookups >= Math.max(minLookups, bytes.length / bytesPerLookup)) {
        filter = createFilter(bytes);
      }
      if (filter !== undefined && !mayHave(filter, hashOf(suffix, hashOf(prefix)))) return false;
      return hasLine(bytes, prefix + suffix);
    },
  };
}

function hasLine(bytes: Uint8Array, line: string): boolean {
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    let start = (low + high) >>> 1;
    while (start > low && bytes[start - 1] !== newline) start--;
    let offset = start;
    let index = 0;
    while (index < line.length && bytes[offset] !== newline && bytes[offset] === line.charCodeAt(index)) {
      offset++;
      index++;
    }
    const lineEnded = offset >= bytes.length || bytes[offset] === newline;
    if (index === line.length && lineEnded) return true;
    if (index === line.length || (!lineEnded && (bytes[offset] ?? 0) > line.charCodeAt(index))) {
      high = start;
      continue;
    }
    while (offset < bytes.length && bytes[offset] !== newline) offset++;
    low = offset + 1;
  }
  return false;
}

/** A Bloom filter with one hash, and at least as many bits as the file has bytes. */
function createFilter(bytes: Uint8Array): Uint8Array {
  const filter = new Uint8Array(2 ** Math.max(0, Math.ceil(Math.log2(bytes.length + 1)) - 3));
  let hash = 0;
  for (let offset = 0; offset <= bytes.length; offset++) {
    const byte = bytes[offset] ?? newline;
    if (byte === newline) {
      const bit = bitOf(hash, filter);
      filter[bit >>> 3] = (filter[bit >>> 3] ?? 0) | (1 << (bit & 7));
      hash = 0;
    } else {
      hash = (Math.imul(hash, 31) + byte) | 0;
    }
  }
  return filter;
}

function hashOf(text: string, seed = 0): number {
  let hash = seed;
  for (let index = 0; index < text.length; index++) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  return hash;
}

function mayHave(filter: Uint8Array, hash: number): boolean {
  const bit = bitOf(hash, filter);
  return ((filter[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0;
}

function bitOf(hash: number, filter: Uint8Array): number {
  // Names share their last letters, which alone would decide the low bits.
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 13)) & (filter.length * 8 - 1);
}
