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
  let table = new Uint32Array(2_048);
  let size = 0;
  // Few distinct verdicts are shared by many addresses; entry 0 stands for none.
  const words: (Word | null)[] = [null];
  const wordIndex = new Map<string, number>();
  let lastWord = 0;
  const print = new Uint32Array(3);

  function grow(): void {
    const room = verdicts.length * 2;
    prints = enlarged(prints, new Uint32Array(3 * room));
    verdicts = enlarged(verdicts, new Uint32Array(room));
    confidences = enlarged(confidences, new Float64Array(room));
    met = enlarged(met, new Uint8Array(room));
    table = new Uint32Array(room * 2);
    for (let entry = 0; entry < size; entry++) {
      let place = (prints[3 * entry] ?? 0) & (table.length - 1);
      while (table[place] !== 0) place = (place + 1) & (table.length - 1);
      table[place] = entry + 1;
    }
  }

  function indexOfWord(item: BulkItem): number {
    // Nearly all verdicts of a list are among the first few.
    for (let index = 1; index < Math.min(words.length, 16); index++) {
      const known = words[index];
      if (known && isSameWord(known, item)) return index;
    }
    const word = wordOf(item);
    const key = JSON.stringify(word);
    const index = wordIndex.get(key) ?? words.push(word) - 1;
    wordIndex.set(key, index);
    return index;
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
      for (let lane = 0; lane < 3; lane++) prints[3 * size + lane] = print[lane] ?? 0;
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
      const last = words[lastWord];
      if (!last || !isSameWord(last, item)) lastWord = indexOfWord(item);
      verdicts[entry] = lastWord;
      confidences[entry] = item.confidence;
    },
    recall(entry, email) {
      const word = words[verdicts[entry] ?? 0];
      if (!word) return null;
      const { status, is_valid, ...rest } = word;
      return { email, status, is_valid, confidence: confidences[entry] ?? 0, ...rest };
    },
    knows: (entry) => verdicts[entry] !== 0,
  };
}

type Word = Omit<RememberedItem, 'email' | 'confidence'>;

const wordFields = ['status', 'is_valid', 'sub_status', 'safe_to_send', 'did_you_mean'] as const;

function wordOf(item: RememberedItem): Word {
  return Object.fromEntries(
    wordFields.flatMap((name) => (name in item ? [[name, item[name]]] : [])),
  ) as unknown as Word;
}

function isSameWord(word: Word, item: RememberedItem): boolean {
  return (
    word.status === item.status &&
    word.is_valid === item.is_valid &&
    word.sub_status === item.sub_status &&
    word.safe_to_send === item.safe_to_send &&
    word.did_you_mean === item.did_you_mean
  );
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
  for (let i = 0; i < key.length; i += 2) {
    // Two characters at a time. To read behind the end would make this, the most costly part of a list, slow for every key.
    const unit = key.charCodeAt(i) | (i + 1 < key.length ? key.charCodeAt(i + 1) << 16 : 0);
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
