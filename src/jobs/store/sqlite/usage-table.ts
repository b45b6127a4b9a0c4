import { readUsageCount } from '../records.js';
import { domainsKept, type UsageCount, type UsageStore } from '../usage.js';
import type { Sql, Sqlite } from './sqlite.js';

/** Counts in one transaction: ten thousand keys may have been used within the same seconds, and all who ask would wait. */
const countsAtOnce = 200;

/** Daily counts on SQLite. */
export function sqliteUsage(sqlite: Sqlite): UsageStore {
  return {
    addUsage: async (counts) => {
      for (let at = 0; at < counts.length; at += countsAtOnce) {
        await sqlite.write((sql) => add(sql, counts.slice(at, at + countsAtOnce)));
      }
    },
    readUsage: (owner, from) => sqlite.read((sql) => read(sql, owner, from)),
    forgetUsage: (before) =>
      sqlite.write((sql) => {
        sql.run('DELETE FROM usage WHERE day < ?', before);
      }),
  };
}

function add(sql: Sql, counts: readonly UsageCount[]): void {
  const withDomains = new Map<string, UsageCount>();
  for (const entry of counts) {
    const { day, owner, kind, name, count } = entry;
    sql.run(
      `INSERT INTO usage (day, owner, kind, name, count) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (day, owner, kind, name) DO UPDATE SET count = count + excluded.count`,
      day,
      owner,
      kind,
      name,
      count,
    );
    if (kind === 'domain') withDomains.set(`${day} ${owner}`, entry);
  }
  for (const { day, owner } of withDomains.values()) {
    const which = `day = ? AND owner = ? AND kind = 'domain'`;
    sql.run(
      `DELETE FROM usage WHERE ${which} AND name NOT IN
         (SELECT name FROM usage WHERE ${which} ORDER BY count DESC, name LIMIT ?)`,
      day,
      owner,
      day,
      owner,
      domainsKept,
    );
  }
}

function read(sql: Sql, owner: string | null, from: string): UsageCount[] {
  const which = 'day >= ? AND (? IS NULL OR owner = ?)';
  const counts = sql.all(
    `SELECT day, owner, kind, name, count FROM usage WHERE ${which} AND kind <> 'domain' ORDER BY day, owner, kind, name`,
    from,
    owner,
    owner,
  );
  const domains = sql.all(
    `SELECT ? AS day, coalesce(?, '') AS owner, kind, name, sum(count) AS count FROM usage WHERE ${which} AND kind = 'domain'
     GROUP BY name ORDER BY sum(count) DESC, name LIMIT ?`,
    from,
    owner,
    from,
    owner,
    owner,
    domainsKept,
  );
  return [...counts, ...domains].map(readUsageCount);
}
