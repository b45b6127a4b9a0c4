import type { Status } from '../model/verdict.js';
import type { CountedRow, StatusCounts } from '../wire/app.js';

export type { StatusCounts };

interface StatusTally {
  add(name: string, status: Status): void;
  counts(): StatusCounts;
}

/** The order of names everywhere: the most frequent first, then by name. */
export function byFrequency(one: CountedRow, other: CountedRow): number {
  return other.total - one.total || (one.name < other.name ? -1 : 1);
}

/** Counts names in bounded memory: above twice `maxNames` the more frequent half is kept. */
export function createStatusCounts(maxNames: number): StatusTally {
  let names = new Map<string, CountedRow>();
  let dropped = 0;
  // Adjacent rows often share a name.
  let lastEntry: CountedRow | null = null;
  const sorted = (): CountedRow[] => [...names.values()].sort(byFrequency);
  const dropRare = (): void => {
    const frequent = sorted();
    for (const { total } of frequent.splice(maxNames)) dropped += total;
    names = new Map(frequent.map((entry) => [entry.name, entry]));
  };
  const create = (sourceName: string): CountedRow => {
    if (names.size >= 2 * maxNames) dropRare();
    // Copied, since a slice keeps its whole source string alive.
    const name = JSON.parse(JSON.stringify(sourceName)) as string;
    const entry = { name, total: 0, valid: 0, invalid: 0, risky: 0, unknown: 0 };
    names.set(name, entry);
    return entry;
  };
  return {
    add: (name, status) => {
      if (lastEntry === null || lastEntry.name !== name) lastEntry = names.get(name) ?? create(name);
      lastEntry.total++;
      lastEntry[status]++;
    },
    counts: () => ({ names: sorted(), dropped }),
  };
}

/** A name most of whose rows have one status other than valid. */
interface BadName {
  name: string;
  total: number;
  status: Exclude<Status, 'valid'>;
  /** Rows with that status. */
  count: number;
}

const badStatuses = ['invalid', 'risky', 'unknown'] as const;

/** The worst names: more than one row, at least half of them with the same bad status. */
export function worstOf({ names }: StatusCounts, maxEntries: number): BadName[] {
  const bad = names.flatMap((entry) => {
    const status = badStatuses.reduce((worst, each) => (entry[each] > entry[worst] ? each : worst));
    const { name, total, [status]: count } = entry;
    return total > 1 && count * 2 >= total ? [{ name, total, status, count }] : [];
  });
  return bad.sort((one, other) => other.count - one.count).slice(0, maxEntries);
}
