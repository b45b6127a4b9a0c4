import { cacheKey, type HashAddress, packEntries, readCached } from '../packed-verdict.js';
import type { Batch, ResultCache } from '../store.js';
import type { Database, Sql } from './database.js';

/** The result cache on PostgreSQL, shared by all that have the store open. */
export function postgresCache(database: Database, hide: HashAddress): ResultCache {
  return {
    cached: (scope, emails) =>
      database.read(async (sql) => {
        const wanted = new Map(emails.map((email) => [cacheKey(scope, email, hide), email]));
        const rows = await sql.all('SELECT * FROM mailvet.cache WHERE key = ANY($1)', [...wanted.keys()]);
        return readCached(rows, wanted);
      }),
    pruneCache: (before) => database.write((sql) => sql.run('DELETE FROM mailvet.cache WHERE checked_at < $1', before)),
  };
}

/** Remembers verdicts inside the caller's transaction, in one statement, and each address once: the last verdict counts. */
export async function rememberVerdicts(
  sql: Sql,
  { scope, entries }: Batch['cache'],
  hide: HashAddress,
  now: number,
): Promise<void> {
  if (entries.length === 0) return;
  const rows = new Map(packEntries(scope, entries, hide));
  await sql.run(
    `INSERT INTO mailvet.cache SELECT key, verdict, $3 FROM unnest($1::text[], $2::text[]) AS given (key, verdict)
     ON CONFLICT (key) DO UPDATE SET verdict = excluded.verdict, checked_at = excluded.checked_at`,
    [...rows.keys()],
    [...rows.values()],
    now,
  );
}
