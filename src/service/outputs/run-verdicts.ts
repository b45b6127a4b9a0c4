import { createKeyedHash, HashIndex } from '../../lists/hash-set.js';
import { keyOfAddress } from '../../lists/mailbox-key.js';
import type { BulkItem } from '../../model/result.js';
import { hashText, isHashed } from '../address-hash.js';

/** The part of a result that is repeated for a duplicate. */
export interface VerdictItem extends BulkItem {
  sub_status?: string;
  safe_to_send?: boolean;
  did_you_mean?: string | null;
}

/** The sub_status of an address that the service left out of its answer; a resumed run asks for it again. */
export const noAnswer = 'no_answer';

/** The mailboxes of a run and their verdicts, in about 35 bytes each. */
export type RunVerdicts = ReturnType<typeof createRunVerdicts>;

/** Identifies mailboxes by 64-bit hashes: among ten million, the chance of any collision is one in 370,000. */
export function createRunVerdicts() {
  const hash = createKeyedHash();
  const mailboxes = new HashIndex();
  let verdicts = new Uint32Array(1_024);
  let confidences = new Float64Array(1_024);
  let seen = new Uint8Array(1_024);
  // Few distinct verdicts are shared by many addresses; entry 0 is none.
  const distinctVerdicts: (SharedVerdict | null)[] = [null];
  const indexes = new Map<string, number>();
  let lastIndex = 0;

  function grow(): void {
    const length = verdicts.length * 2;
    verdicts = copyInto(verdicts, new Uint32Array(length));
    confidences = copyInto(confidences, new Float64Array(length));
    seen = copyInto(seen, new Uint8Array(length));
  }

  function indexOfVerdict(item: BulkItem): number {
    // Nearly all verdicts of a list are among the first few.
    for (let index = 1; index < Math.min(distinctVerdicts.length, 16); index++) {
      if (isSameVerdict(distinctVerdicts[index], item)) return index;
    }
    const verdict = sharedVerdict(item);
    const key = JSON.stringify(verdict);
    const index = indexes.get(key) ?? distinctVerdicts.push(verdict) - 1;
    indexes.set(key, index);
    return index;
  }

  return {
    /** The entry of a mailbox, created if missing. */
    entryOf(key: string) {
      hash.update(key);
      const entry = mailboxes.add(hash.halves);
      if (entry >= verdicts.length) grow();
      return entry;
    },
    /** True on the first call for an entry. */
    markSeen(entry: number) {
      const isFirst = seen[entry] === 0;
      seen[entry] = 1;
      return isFirst;
    },
    remember(entry: number, item: BulkItem) {
      if (!isSameVerdict(distinctVerdicts[lastIndex], item)) lastIndex = indexOfVerdict(item);
      verdicts[entry] = lastIndex;
      confidences[entry] = item.confidence;
    },
    /** The stored verdict for this spelling, or null. */
    recall(entry: number, email: string) {
      const verdict = distinctVerdicts[verdicts[entry] ?? 0];
      if (!verdict) return null;
      const { status, is_valid, ...rest } = verdict;
      return { email, status, is_valid, confidence: confidences[entry] ?? 0, ...rest };
    },
    size: () => mailboxes.size,
    knows: (entry: number) => verdicts[entry] !== 0,
  };
}

/** The verdicts of an earlier output. An address is found by itself, or by its hash in an output of hashes. */
export async function collectVerdicts(
  itemChunks: AsyncIterable<readonly BulkItem[]> | Iterable<readonly BulkItem[]> = [],
): Promise<RunVerdicts> {
  const memory = createRunVerdicts();
  let hasHashes = false;
  for await (const items of itemChunks) {
    for (const item of items) {
      const key = keyOfAddress(item.email.trim());
      hasHashes ||= isHashed(key);
      memory.remember(memory.entryOf(key), item);
    }
  }
  const earlierCount = memory.size();
  const entryOf = (key: string): number => {
    const entry = memory.entryOf(key);
    if (!hasHashes || entry < earlierCount) return entry;
    const hashed = memory.entryOf(hashText(key));
    return hashed < earlierCount ? hashed : entry;
  };
  return { ...memory, entryOf };
}

type SharedVerdict = Omit<VerdictItem, 'email' | 'confidence'>;

const sharedFields = ['status', 'is_valid', 'sub_status', 'safe_to_send', 'did_you_mean'] as const;

function sharedVerdict(item: VerdictItem): SharedVerdict {
  return Object.fromEntries(
    sharedFields.flatMap((name) => (name in item ? [[name, item[name]]] : [])),
  ) as unknown as SharedVerdict;
}

function isSameVerdict(verdict: SharedVerdict | null | undefined, item: VerdictItem): boolean {
  return verdict != null && sharedFields.every((name) => verdict[name] === item[name]);
}

function copyInto<Numbers extends Uint32Array | Float64Array | Uint8Array>(old: Numbers, target: Numbers): Numbers {
  target.set(old);
  return target;
}
