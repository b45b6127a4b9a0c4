import { createKeyedHash, HashIndex } from '../../lists/hash-set.js';
import { keyOfAddress } from '../../lists/mailbox-key.js';
import type { BulkItem } from '../../model/result.js';

/** What is kept of a result. */
interface KeptVerdict {
  status: string;
  sub_status: string;
  confidence: number;
}

/** The mailboxes of an output and their verdicts, in about 35 bytes each. */
export type RunVerdicts = ReturnType<typeof createRunVerdicts>;

/** Identifies mailboxes by 64-bit hashes: among ten million, the chance of any collision is one in 370,000. */
export function createRunVerdicts() {
  const hash = createKeyedHash();
  const mailboxes = new HashIndex();
  const confidences: number[] = [];
  /** By entry: few distinct verdicts are shared by many addresses. Undefined: none. */
  const verdicts: (Omit<KeptVerdict, 'confidence'> | undefined)[] = [];
  const distinctVerdicts = new Map<string, Omit<KeptVerdict, 'confidence'>>();
  return {
    /** The entry of a mailbox, created if missing. */
    entryOf(key: string): number {
      hash.update(key);
      const entry = mailboxes.add(hash.halves);
      if (entry === verdicts.length) {
        verdicts.push(undefined);
        confidences.push(0);
      }
      return entry;
    },
    remember(entry: number, { status, sub_status, confidence }: KeptVerdict): void {
      const name = `${status}\n${sub_status}`;
      const verdict = distinctVerdicts.get(name) ?? { status, sub_status };
      distinctVerdicts.set(name, verdict);
      verdicts[entry] = verdict;
      confidences[entry] = confidence;
    },
    /** The verdict of an entry; null if there is none. */
    recall(entry: number): KeptVerdict | null {
      const verdict = verdicts[entry];
      return verdict === undefined ? null : { ...verdict, confidence: confidences[entry] ?? 0 };
    },
    size: () => mailboxes.size,
  };
}

/** The verdicts of an output. */
export async function collectVerdicts(chunks: AsyncIterable<readonly BulkItem[]> | [] = []): Promise<RunVerdicts> {
  const memory = createRunVerdicts();
  for await (const items of chunks) {
    for (const item of items) {
      const { sub_status = '' } = item as Partial<KeptVerdict>;
      memory.remember(memory.entryOf(keyOfAddress(item.email.trim())), { ...item, sub_status });
    }
  }
  return memory;
}

/** A byte for each entry, 0 at first. */
export function createStates() {
  let bytes = new Uint8Array(1_024);
  return {
    get: (entry: number): number => bytes[entry] ?? 0,
    set: (entry: number, value: number): void => {
      if (entry >= bytes.length) {
        const grown = new Uint8Array(Math.max(entry + 1, bytes.length * 2));
        grown.set(bytes);
        bytes = grown;
      }
      bytes[entry] = value;
    },
  };
}
