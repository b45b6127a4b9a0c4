import { cacheKey, type HashAddress, packEntries, readCached } from '../packed-verdict.js';
import type { Batch, ResultCache } from '../store.js';
import type { Sql, Sqlite } from './sqlite.js';

/** The result cache on SQLite. */
export function sqliteCache(sqlite: Sqlite, hide: HashAddress): ResultCache {
  return {
    cached: (scope, emails) =>
      sqlite.read((sql) => {
        const wanted = new Map(emails.map((email) => [cacheKey(scope, email, hide), email]));
        const rows = sql.all(
          'SELECT cache.* FROM json_each(?) AS wanted CROSS JOIN cache ON cache.key = wanted.value',
          JSON.stringify([...wanted.keys()]),
        );
        return readCached(rows, wanted);
      }),
    pruneCache: (before) => sqlite.write((sql) => sql.run('DELETE FROM cache WHERE checked_at < ?', before)),
  };
}

/** Remembers verdicts inside the caller's transaction, in one statement. */
export function rememberVerdicts(sql: Sql, { scope, entries }: Batch['cache'], hide: HashAddress, now: number): void {
  if (entries.length === 0) return;
  sql.run(
    'INSERT OR REPLACE INTO cache SELECT value ->> 0, value ->> 1, ? FROM json_each(?)',
    now,
    JSON.stringify(packEntries(scope, entries, hide)),
  );
}
