import type { MailboxVerdicts } from '../../jobs/results/job-results.js';
import type { BulkItem } from '../../model/result.js';
import { createKeyedHash } from './fingerprint-set.js';
import { keyOfAddress } from './mailbox-key.js';

/** The part of a result that is repeated for a duplicate. */
export interface RememberedItem extends BulkItem {
  sub_status?: string;
  safe_to_send?: boolean;
  did_you_mean?: string | null;
}

/** The mailboxes of a run and their verdicts, in some 35 bytes each. */
export type AnswerMemory = ReturnType<typeof createAnswerMemory>;

/** Identifies mailboxes by 64-bit fingerprints: among ten million, the chance of any collision is one in 370,000. */
export function createAnswerMemory() {
  const hash = createKeyedHash();
  let prints = new Uint32Array(2 * 1_024);
  let verdicts = new Uint32Array(1_024);
  let confidences = new Float64Array(1_024);
  let met = new Uint8Array(1_024);
  let table = new Uint32Array(2_048);
  let size = 0;
  // Few distinct verdicts are shared by many addresses; entry 0 is none.
  const words: (Word | null)[] = [null];
  const wordIndex = new Map<string, number>();
  let lastWord = 0;

  function grow(): void {
    const room = verdicts.length * 2;
    prints = enlarged(prints, new Uint32Array(2 * room));
    verdicts = enlarged(verdicts, new Uint32Array(room));
    confidences = enlarged(confidences, new Float64Array(room));
    met = enlarged(met, new Uint8Array(room));
    table = new Uint32Array(room * 2);
    for (let entry = 0; entry < size; entry++) {
      let place = (prints[2 * entry] ?? 0) & (table.length - 1);
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
    /** The entry of a mailbox, created if missing. */
    entryOf(key: string) {
      hash.update(key);
      const low = hash.halves[0] ?? 0;
      const high = hash.halves[1] ?? 0;
      let place = low & (table.length - 1);
      for (let found = table[place]; found !== undefined && found !== 0; found = table[place]) {
        const at = 2 * (found - 1);
        if (prints[at] === low && prints[at + 1] === high) return found - 1;
        place = (place + 1) & (table.length - 1);
      }
      prints[2 * size] = low;
      prints[2 * size + 1] = high;
      table[place] = size + 1;
      size++;
      if (size === verdicts.length) grow();
      return size - 1;
    },
    /** True on the first call for an entry. */
    markSeen(entry: number) {
      const first = met[entry] === 0;
      met[entry] = 1;
      return first;
    },
    remember(entry: number, item: BulkItem) {
      const last = words[lastWord];
      if (!last || !isSameWord(last, item)) lastWord = indexOfWord(item);
      verdicts[entry] = lastWord;
      confidences[entry] = item.confidence;
    },
    /** The stored verdict for this spelling, or null. */
    recall(entry: number, email: string) {
      const word = words[verdicts[entry] ?? 0];
      if (!word) return null;
      const { status, is_valid, ...rest } = word;
      return { email, status, is_valid, confidence: confidences[entry] ?? 0, ...rest };
    },
    knows: (entry: number) => verdicts[entry] !== 0,
  };
}

/** Loads the answers of earlier runs. */
export async function rememberAnswers(
  answered: AsyncIterable<readonly BulkItem[]> | Iterable<readonly BulkItem[]> = [],
): Promise<AnswerMemory> {
  const memory = createAnswerMemory();
  for await (const items of answered) {
    for (const item of items) memory.remember(memory.entryOf(keyOfAddress(item.email.trim())), item);
  }
  return memory;
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

export function createMailboxVerdicts(): MailboxVerdicts {
  const { entryOf, markSeen, remember, recall } = createAnswerMemory();
  return {
    entryOf,
    markSeen,
    remember: (entry, verdict) => remember(entry, { email: '', is_valid: verdict.status === 'valid', ...verdict }),
    recall: (entry) => {
      const item = recall(entry, '');
      if (item === null) return null;
      const { status, confidence, sub_status = '', safe_to_send = false, did_you_mean = null } = item;
      return { status, sub_status, confidence, safe_to_send, did_you_mean };
    },
  };
}
