import { randomBytes } from 'node:crypto';
import type { BulkItem } from '../../model/result.js';

/** The part of a result that is repeated for a duplicate. */
export interface RememberedItem extends BulkItem {
  sub_status?: string;
  safe_to_send?: boolean;
  did_you_mean?: string | null;
}

/** Which mailboxes were met in a run and what was said of them, in some 40 bytes each. */
export interface AnswerMemory {
  /** The entry of a mailbox, made where there is none. */
  entryOf(key: string): number;
  /** True the first time it is asked of an entry. */
  meet(entry: number): boolean;
  remember(entry: number, item: BulkItem): void;
  /** What was remembered, under the spelling asked for; null where nothing was. */
  recall(entry: number, email: string): RememberedItem | null;
  knows(entry: number): boolean;
}

/** An empty memory. Mailboxes are told apart by seeded 96-bit fingerprints, so that a list of any length fits. */
export function openAnswerMemory(): AnswerMemory {
  const seeds = new Uint32Array(randomBytes(12).buffer.slice(0, 12));
  let prints = new Uint32Array(3 * 1_024);
  let verdicts = new Uint32Array(1_024);
  let confidences = new Float64Array(1_024);
  let met = new Uint8Array(1_024);
  let table = new Uint32Array(4_096);
  let size = 0;
  // Few distinct verdicts are shared by many addresses; entry 0 stands for none.
  const words: string[] = [''];
  const wordIndex = new Map<string, number>();
  const print = new Uint32Array(3);

  function grow(): void {
    const room = verdicts.length * 2;
    prints = enlarged(prints, new Uint32Array(3 * room));
    verdicts = enlarged(verdicts, new Uint32Array(room));
    confidences = enlarged(confidences, new Float64Array(room));
    met = enlarged(met, new Uint8Array(room));
    table = new Uint32Array(room * 4);
    for (let entry = 0; entry < size; entry++) {
      let place = (prints[3 * entry] ?? 0) & (table.length - 1);
      while (table[place] !== 0) place = (place + 1) & (table.length - 1);
      table[place] = entry + 1;
    }
  }

  return {
    entryOf(key) {
      fingerprint(key, seeds, print);
      let place = (print[0] ?? 0) & (table.length - 1);
      for (let found = table[place]; found !== undefined && found !== 0; found = table[place]) {
        const at = 3 * (found - 1);
        if (prints[at] === print[0] && prints[at + 1] === print[1] && prints[at + 2] === print[2]) return found - 1;
        place = (place + 1) & (table.length - 1);
      }
      prints.set(print, 3 * size);
      table[place] = size + 1;
      size++;
      if (size === verdicts.length) grow();
      return size - 1;
    },
    meet(entry) {
      const first = met[entry] === 0;
      met[entry] = 1;
      return first;
    },
    remember(entry, item) {
      const word = wordOf(item);
      let index = wordIndex.get(word);
      if (index === undefined) {
        index = words.push(word) - 1;
        wordIndex.set(word, index);
      }
      verdicts[entry] = index;
      confidences[entry] = item.confidence;
    },
    recall(entry, email) {
      const word = words[verdicts[entry] ?? 0];
      if (word === undefined || word === '') return null;
      const { status, is_valid, ...rest } = JSON.parse(word) as Omit<RememberedItem, 'email' | 'confidence'>;
      return { email, status, is_valid, confidence: confidences[entry] ?? 0, ...rest };
    },
    knows: (entry) => verdicts[entry] !== 0,
  };
}

function wordOf(item: RememberedItem): string {
  const { status, is_valid, sub_status, safe_to_send, did_you_mean } = item;
  return JSON.stringify({ status, is_valid, sub_status, safe_to_send, did_you_mean });
}

function enlarged<Numbers extends Uint32Array | Float64Array | Uint8Array>(old: Numbers, fresh: Numbers): Numbers {
  fresh.set(old);
  return fresh;
}

/** Three lanes of multiply and shift, each with its own seed and multiplier. */
function fingerprint(key: string, seeds: Uint32Array, out: Uint32Array): void {
  let a = seeds[0] ?? 0;
  let b = seeds[1] ?? 0;
  let c = seeds[2] ?? 0;
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i);
    a = Math.imul(a ^ (a >>> 15) ^ unit, 0x9e3779b1);
    b = Math.imul(b ^ (b >>> 13) ^ unit, 0x85ebca77);
    c = Math.imul(c ^ (c >>> 16) ^ unit, 0xc2b2ae3d);
  }
  out[0] = finished(a ^ key.length);
  out[1] = finished(b);
  out[2] = finished(c);
}

function finished(lane: number): number {
  let mixed = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
