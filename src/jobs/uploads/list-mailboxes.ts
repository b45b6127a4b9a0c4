import { createHashSet, createKeyedHash, HashIndex } from '../../lists/hash-set.js';
import type { ListedEmail } from '../store/files.js';

/** The mailboxes of a list so far. */
export type ListMailboxes = ReturnType<typeof createListMailboxes>;

/** Distinct mailboxes of one list, in at most 160 MB. */
const defaultMaxEntries = 20_000_000;
/** Mailboxes whose rows are known, in some 50 MB. Repeats of older ones are asked again. */
const maxIndexed = 1_000_000;

export function createListMailboxes(maxEntries = defaultMaxEntries) {
  const hash = createKeyedHash();
  /** The mailboxes that are indexed no more. */
  const older = createHashSet(maxEntries);
  let index = new HashIndex();
  /** The first row of each indexed mailbox, and a hash of how it is written there. */
  let [firstRows, spellings]: [number[], number[]] = [[], []];
  return {
    /** Records a row; equal keys are one mailbox. */
    add: (key: string, email: string, row: number): ListedEmail => {
      hash.update(key);
      if (index.size >= maxIndexed) {
        index.forEach(older.addHash);
        index = new HashIndex();
        [firstRows, spellings] = [[], []];
      }
      const number = index.add(hash.halves);
      const first = firstRows[number];
      const isNew = first === undefined && !older.hasHash(hash.halves[0] as number, hash.halves[1] as number);
      if (email !== key) hash.update(email);
      const spelling = hash.halves[0] as number;
      if (first !== undefined) return spellings[number] === spelling ? [email, first] : [email];
      firstRows.push(row);
      spellings.push(spelling);
      return isNew ? email : [email];
    },
    /** True once a mailbox could not be remembered. */
    get isFull() {
      return older.full || older.size + index.size > maxEntries;
    },
  };
}
