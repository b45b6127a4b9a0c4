import { createHashSet, createKeyedHash, HashIndex } from '../../lists/hash-set.js';

/** The mailboxes of a list so far, and the first row of each in its current part. */
export interface ListMailboxes {
  /** Starts another part, which the following rows belong to. */
  beginPart(): void;
  /** Records a row. Returns the first row of its mailbox in this part, or whether the mailbox is new or in an earlier part. */
  add(key: string, row: number): number | 'new' | 'in an earlier part';
  /** True once a mailbox could not be remembered beyond its part. */
  readonly isFull: boolean;
}

/** Remembers at most `maxEntries` mailboxes of a list, and all of a part. */
export function createListMailboxes(maxEntries: number): ListMailboxes {
  const hash = createKeyedHash();
  const list = createHashSet(maxEntries, hash);
  let part = new HashIndex();
  let firstRows: number[] = [];
  return {
    beginPart: () => {
      part = new HashIndex();
      firstRows = [];
    },
    add: (key, row) => {
      hash.update(key);
      const index = part.add(hash.halves);
      const first = firstRows[index];
      if (first !== undefined) return first;
      firstRows.push(row);
      return list.addHashed() ? 'new' : 'in an earlier part';
    },
    get isFull() {
      return list.full;
    },
  };
}
