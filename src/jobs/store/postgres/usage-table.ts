import { readUsageCount } from '../records.js';
import { domainsKept, type UsageCount, type UsageStore } from '../usage.js';
import type { Database, Sql } from './database.js';

/** Daily counts on PostgreSQL, summed over all nodes. */
export function postgresUsage(database: Database): UsageStore {
  return {
    addUsage: (counts) => database.write((sql) => add(sql, counts)),
    readUsage: (owner, from) => database.read((sql) => read(sql, owner, from)),
    forgetUsage: async (before) => {
      await database.writeRepeatable((sql) => sql.run('DELETE FROM mailvet.usage WHERE day < $1', before));
    },
  };
}

async function add(sql: Sql, counts: readonly UsageCount[]): Promise<void> {
  // In one order for all, so that two nodes that add the same ones do not wait for each other for ever.
  await sql.run(
    `INSERT INTO mailvet.usage AS known (day, owner, kind, name, count)
     SELECT day, owner, kind, name, sum(count) FROM json_populate_recordset(NULL::mailvet.usage, $1)
     GROUP BY day, owner, kind, name ORDER BY day, owner, kind, name
     ON CONFLICT (day, owner, kind, name) DO UPDATE SET count = known.count + excluded.count`,
    JSON.stringify(counts),
  );
  const withDomains = new Map(
    counts.filter(({ kind }) => kind === 'domain').map(({ day, owner }) => [`${day} ${owner}`, { day, owner }]),
  );
  for (const { day, owner } of withDomains.values()) {
    const which = `day = $1 AND owner = $2 AND kind = 'domain'`;
    await sql.run(
      `DELETE FROM mailvet.usage WHERE ${which} AND name NOT IN
         (SELECT name FROM mailvet.usage WHERE ${which} ORDER BY count DESC, name LIMIT $3)`,
      day,
      owner,
      domainsKept,
    );
  }
}

async function read(sql: Sql, owner: string | null, from: string): Promise<UsageCount[]> {
  const which = 'day >= $1 AND ($2::text IS NULL OR owner = $2)';
  const counts = await sql.all(
    `SELECT day, owner, kind, name, count FROM mailvet.usage WHERE ${which} AND kind <> 'domain'
     ORDER BY day, owner, kind, name`,
    from,
    owner,
  );
  const domains = await sql.all(
    `SELECT $1::text AS day, coalesce($2, '') AS owner, 'domain' AS kind, name, sum(count) AS count FROM mailvet.usage
     WHERE ${which} AND kind = 'domain' GROUP BY name ORDER BY sum(count) DESC, name LIMIT $3`,
    from,
    owner,
    domainsKept,
  );
  return [...counts, ...domains].map(readUsageCount);
}
