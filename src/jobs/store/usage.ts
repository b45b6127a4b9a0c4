import { all, run, type SqlBackend, type Steps } from './sql.js';

/** `request`: one HTTP request. `verdict`: one address, named by its status and sub_status. `domain`: one address, by its domain. */
type UsageKind = 'request' | 'verdict' | 'domain';

/** A count of one day and owner. Contains no address. */
export interface UsageCount {
  /** As 2026-11-15, UTC. */
  day: string;
  owner: string;
  kind: UsageKind;
  /** Empty for requests; `valid ` or `invalid mailbox_not_found` for verdicts. */
  name: string;
  count: number;
}

export type UsageStore = ReturnType<typeof usageTable>;

/** Domains kept for each owner and day. */
export const maxDomainsPerDay = 50;

export function usageTable(backend: SqlBackend) {
  return {
    /** Adds to the stored counts. Of the domains of an owner and day, only the most frequent are kept. */
    addUsage: async (counts: readonly UsageCount[]) => {
      const sums = sumCounts(counts);
      for (let first = 0; first < sums.length; first += backend.maxRows) {
        await backend.write(() => addCounts(sums.slice(first, first + backend.maxRows)));
      }
    },
    /** From that day on, of one owner or of all (null). Domains are summed over the days, under the first day, most frequent first. */
    readUsage: (owner: string | null, from: string) => backend.read(() => readCounts(owner, from)),
    pruneUsage: async (firstDay: string) => {
      await backend.write(() => run('DELETE FROM usage WHERE day < ?', firstDay));
    },
  };
}

/** Each name once, in one order: two nodes that add the same names in different orders would deadlock. */
function sumCounts(counts: readonly UsageCount[]): UsageCount[] {
  const sums = new Map<string, UsageCount>();
  for (const entry of counts) {
    const key = `${entry.day} ${entry.owner} ${entry.kind} ${entry.name}`;
    sums.set(key, { ...entry, count: entry.count + (sums.get(key)?.count ?? 0) });
  }
  return [...sums].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum);
}

function* addCounts(counts: readonly UsageCount[]): Steps<void> {
  yield* run(
    `INSERT INTO usage (day, owner, kind, name, count)
     SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, CAST(value ->> 4 AS bigint) FROM json_each(?) WHERE TRUE
     ON CONFLICT (day, owner, kind, name) DO UPDATE SET count = usage.count + excluded.count`,
    JSON.stringify(counts.map(({ day, owner, kind, name, count }) => [day, owner, kind, name, count])),
  );
  const withDomains = counts
    .filter(({ kind }) => kind === 'domain')
    .map((entry) => [`${entry.day} ${entry.owner}`, entry] as const);
  for (const { day, owner } of new Map(withDomains).values()) {
    const which = `day = ? AND owner = ? AND kind = 'domain'`;
    yield* run(
      `DELETE FROM usage WHERE ${which} AND name NOT IN
         (SELECT name FROM usage WHERE ${which} ORDER BY count DESC, name LIMIT ?)`,
      ...[day, owner, day, owner, maxDomainsPerDay],
    );
  }
}

function* readCounts(owner: string | null, from: string): Steps<UsageCount[]> {
  const which = 'FROM usage WHERE day >= ? AND owner = coalesce(?, owner)';
  const counts = `SELECT * ${which} AND kind <> 'domain' ORDER BY day, owner, kind, name`;
  const domains = `SELECT CAST(? AS text) AS day, CAST(? AS text) AS owner, 'domain' AS kind, name, sum(count) AS count
    ${which} AND kind = 'domain' GROUP BY name ORDER BY sum(count) DESC, name LIMIT ?`;
  return [
    ...(yield* all<UsageCount>(counts, from, owner)),
    ...(yield* all<UsageCount>(domains, from, owner ?? '', from, owner, maxDomainsPerDay)),
  ];
}
