import type { ListMailboxes } from '../../jobs/uploads/split-into-jobs.js';
import { createFingerprintSet, createKeyedHash } from './fingerprint-set.js';

/** Remembers at most `maxEntries` mailboxes of a list, and all of a part. */
export function createListMailboxes(maxEntries: number): ListMailboxes {
  const hash = createKeyedHash();
  const whole = createFingerprintSet(maxEntries, hash);
  let part = createPartRows();
  return {
    beginPart: () => {
      part = createPartRows();
    },
    add: (key, row) => {
      hash.update(key);
      const { halves } = hash;
      const first = part.first(halves[0] as number, halves[1] as number, row);
      if (first !== row) return first;
      return whole.addHashed() ? 'new' : 'in an earlier part';
    },
    get full() {
      return whole.full;
    },
  };
}

/** The first row of each 64-bit fingerprint, by open addressing. */
function createPartRows() {
  let slots = 1_024;
  let lows = new Uint32Array(slots);
  let highs = new Uint32Array(slots);
  /** Row plus one; 0 is an empty slot. */
  let rows = new Uint32Array(slots);
  let used = 0;
  const place = (low: number, high: number): number => {
    let slot = low & (slots - 1);
    while (rows[slot] !== 0 && (lows[slot] !== low || highs[slot] !== high)) slot = (slot + 1) & (slots - 1);
    return slot;
  };
  const put = (slot: number, low: number, high: number, row: number): void => {
    lows[slot] = low;
    highs[slot] = high;
    rows[slot] = row;
  };
  const grow = (): void => {
    const old = { lows, highs, rows };
    slots *= 4;
    lows = new Uint32Array(slots);
    highs = new Uint32Array(slots);
    rows = new Uint32Array(slots);
    for (const [at, row] of old.rows.entries()) {
      const low = old.lows[at] as number;
      const high = old.highs[at] as number;
      if (row !== 0) put(place(low, high), low, high, row);
    }
  };
  return {
    /** The first row with this fingerprint, which may be `row` itself. */
    first: (low: number, high: number, row: number): number => {
      const slot = place(low, high);
      const known = rows[slot] as number;
      if (known !== 0) return known - 1;
      put(slot, low, high, row + 1);
      if (++used * 2 > slots) grow();
      return row;
    },
  };
}
