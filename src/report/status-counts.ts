import type { Status } from '../model/verdict.js';

/** How often a name occurred: in all, and with each status. */
export interface CountedRow extends Record<Status, number> {
  name: string;
  total: number;
}

/** Names by how often they occurred. */
export interface StatusCounts {
  /** The most frequent first. */
  names: CountedRow[];
  /** Rows of rare names that were too many to keep. Where it is 0 every count is exact, else the rare ones may be too low. */
  dropped: number;
}

interface StatusTally {
  add(name: string, status: Status): void;
  tally(): StatusCounts;
}

/** Counts names, of which a list may hold any number: of more than twice `maxNames` the more frequent half is kept. */
export function createStatusCounts(maxNames: number): StatusTally {
  let names = new Map<string, CountedRow>();
  let dropped = 0;
  // Neighbours in a list are often alike, and most reasons are.
  let last: CountedRow | null = null;
  const byFrequency = (): CountedRow[] => [...names.values()].sort((one, other) => other.total - one.total);
  const dropRare = (): void => {
    const kept = byFrequency();
    for (const { total } of kept.splice(maxNames)) dropped += total;
    names = new Map(kept.map((entry) => [entry.name, entry]));
  };
  const meet = (given: string): CountedRow => {
    if (names.size >= 2 * maxNames) dropRare();
    // A piece of a text keeps the whole of it in memory: here, the part of the list that it was read in.
    const name = JSON.parse(JSON.stringify(given)) as string;
    const entry = { name, total: 0, valid: 0, invalid: 0, risky: 0, unknown: 0 };
    names.set(name, entry);
    return entry;
  };
  return {
    add: (name, status) => {
      if (last === null || last.name !== name) last = names.get(name) ?? meet(name);
      last.total++;
      last[status]++;
    },
    tally: () => ({ names: byFrequency(), dropped }),
  };
}

/** A name most of whose rows have one status other than valid. */
export interface BadName {
  name: string;
  total: number;
  status: Exclude<Status, 'valid'>;
  /** Rows with that status. */
  count: number;
}

const badStatuses = ['invalid', 'risky', 'unknown'] as const;

/** The names that cost most: more than one row, at least half of them bad in the same way. */
export function worstOf({ names }: StatusCounts, most: number): BadName[] {
  const bad = names.flatMap((entry) => {
    const status = badStatuses.reduce((worst, each) => (entry[each] > entry[worst] ? each : worst));
    const { name, total, [status]: count } = entry;
    return total > 1 && count * 2 >= total ? [{ name, total, status, count }] : [];
  });
  return bad.sort((one, other) => other.count - one.count).slice(0, most);
}
