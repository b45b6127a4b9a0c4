import { keyOfAddress } from '../../lists/mailbox-key.js';
import { suppressedVerdict } from '../../model/job.js';
import { type BulkItem, countedAs } from '../../model/result.js';
import { collectVerdicts, createStates } from './run-verdicts.js';

/** What became of an address. */
export interface Change {
  email: string;
  /** `new`, `gone`, `same`, or both statuses: `valid→invalid`. */
  change: string;
  /** The status in the old and in the new output; null where it is not. */
  before: string | null;
  after: string | null;
  /** The result in the new output, or in the old one if it is gone. */
  result: BulkItem;
}

/** The results of an output, which can be read again. */
type ReadItems = () => AsyncIterable<readonly BulkItem[]>;

/** The addresses of two outputs. Duplicates are one address. */
export interface Comparison {
  counts: { new: number; same: number; changed: number; gone: number };
  /** How often each status became another one, as `valid→invalid`. */
  moves: Record<string, number>;
  /** Distinct addresses of each output. */
  before: number;
  after: number;
}

/** Compares two outputs: yields what changed, the addresses of the new one first. `found` is complete at the end. Without `withGone` the old output is read once. */
export async function* compareOutputs(
  readOld: ReadItems | null,
  readNew: ReadItems,
  found: Comparison,
  { withGone = true } = {},
): AsyncGenerator<readonly Change[]> {
  const old = await collectVerdicts(readOld?.());
  found.before = old.size();
  const seen = createStates();
  /** The entry of an address; null if it came before. */
  const newEntry = (email: string): number | null => {
    const entry = old.entryOf(keyOfAddress(email.trim()));
    if (seen.get(entry) === 1) return null;
    seen.set(entry, 1);
    return entry;
  };
  for await (const items of readNew()) {
    const changes: Change[] = [];
    for (const item of items) {
      const entry = newEntry(item.email);
      if (entry === null) continue;
      found.after++;
      changes.push(count(found, item, old.recall(entry)?.status ?? null, item.status));
    }
    yield changes;
  }
  if (readOld === null || !withGone) return;
  for await (const items of readOld()) {
    yield items.flatMap((item) => (newEntry(item.email) === null ? [] : count(found, item, item.status, null)));
  }
}

function count(found: Comparison, result: BulkItem, before: string | null, after: string | null): Change {
  const { counts, moves } = found;
  const { email } = result;
  if (before === null || after === null || before === after) {
    const change = before === null ? 'new' : after === null ? 'gone' : 'same';
    counts[change]++;
    return { email, change, before, after, result };
  }
  counts.changed++;
  const move = `${wordOf(before)}→${wordOf(after)}`;
  moves[move] = (moves[move] ?? 0) + 1;
  return { email, change: `${before}→${after}`, before, after, result };
}

function wordOf(status: string): string {
  return status === suppressedVerdict.status ? status : countedAs(status, false);
}

export function emptyComparison(): Comparison {
  return { counts: { new: 0, same: 0, changed: 0, gone: 0 }, moves: {}, before: 0, after: 0 };
}
