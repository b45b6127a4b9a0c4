import { readNumber, readText, type StoredRow } from '../records.js';
import { maxDomainsPerDay, type UsageCount, type UsageKind, type UsageStore } from '../usage.js';
import { all, run, type SqlBackend, type Steps } from './steps.js';

export function usageTable(backend: SqlBackend): UsageStore {
  return {
    addUsage: async (counts) => {
      const sums = sumCounts(counts);
      for (let first = 0; first < sums.length; first += backend.maxRows) {
        await backend.write(() => addCounts(sums.slice(first, first + backend.maxRows)));
      }
    },
    readUsage: (owner, from) => backend.read(() => readCounts(owner, from)),
    pruneUsage: async (firstDay) => {
      await backend.writeRepeatable(() => run('DELETE FROM usage WHERE day < ?', firstDay));
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
  const which = 'day >= ? AND owner = coalesce(?, owner)';
  const counts = yield* all(
    `SELECT day, owner, kind, name, count FROM usage WHERE ${which} AND kind <> 'domain' ORDER BY day, owner, kind, name`,
    from,
    owner,
  );
  const domains = yield* all(
    `SELECT 'domain' AS kind, name, sum(count) AS count FROM usage WHERE ${which} AND kind = 'domain'
     GROUP BY name ORDER BY sum(count) DESC, name LIMIT ?`,
    from,
    owner,
    maxDomainsPerDay,
  );
  return [...counts, ...domains.map((row) => ({ ...row, day: from, owner: owner ?? '' }))].map(readCount);
}

function readCount(row: StoredRow): UsageCount {
  return {
    day: readText(row, 'day'),
    owner: readText(row, 'owner'),
    kind: readText(row, 'kind') as UsageKind,
    name: readText(row, 'name'),
    count: readNumber(row, 'count'),
  };
}
