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
  const list = createHashSet(maxEntries, hash);
  let index = new HashIndex();
  /** The first row of each indexed mailbox, and a hash of how it is written there. */
  let [firstRows, spellings]: [number[], number[]] = [[], []];
  return {
    /** Records a row; equal keys are one mailbox. */
    add: (key: string, email: string, row: number): ListedEmail => {
      hash.update(key);
      if (index.size >= maxIndexed) {
        index = new HashIndex();
        [firstRows, spellings] = [[], []];
      }
      const number = index.add(hash.halves);
      const first = firstRows[number];
      const isNew = first === undefined && list.addHashed();
      if (email !== key) hash.update(email);
      const spelling = hash.halves[0] as number;
      if (first !== undefined) return spellings[number] === spelling ? [email, first] : [email];
      firstRows.push(row);
      spellings.push(spelling);
      return isNew ? email : [email];
    },
    /** True once a mailbox could not be remembered. */
    get isFull() {
      return list.full;
    },
  };
}
