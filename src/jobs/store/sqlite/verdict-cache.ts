import { cacheKey, type HideAddress, packEntries, unpackVerdict } from '../packed-verdict.js';
import { number, text } from '../records.js';
import type { Batch, CachedVerdict, ResultCache } from '../store.js';
import type { Sql, Sqlite } from './sqlite.js';

/** The result cache on SQLite. */
export function sqliteCache(sqlite: Sqlite, hide: HideAddress): ResultCache {
  return {
    cached: (scope, emails) =>
      sqlite.read((sql) => {
        const wanted = new Map(emails.map((email) => [cacheKey(scope, email, hide), email]));
        const rows = sql.all(
          'SELECT cache.* FROM json_each(?) AS wanted CROSS JOIN cache ON cache.key = wanted.value',
          JSON.stringify([...wanted.keys()]),
        );
        const known = new Map<string, CachedVerdict>();
        for (const row of rows) {
          const verdict = unpackVerdict(text(row, 'verdict'));
          const email = wanted.get(text(row, 'key'));
          if (verdict === null || email === undefined) continue;
          known.set(email, { checkedAt: number(row, 'checked_at'), verdict });
        }
        return known;
      }),
    pruneCache: (before) => sqlite.write((sql) => sql.run('DELETE FROM cache WHERE checked_at < ?', before)),
  };
}

/** Remembers verdicts inside the caller's transaction, in one statement. */
export function rememberVerdicts(sql: Sql, { scope, entries }: Batch['cache'], hide: HideAddress, now: number): void {
  if (entries.length === 0) return;
  sql.run(
    'INSERT OR REPLACE INTO cache SELECT value ->> 0, value ->> 1, ? FROM json_each(?)',
    now,
    JSON.stringify(packEntries(scope, entries, hide)),
  );
}
