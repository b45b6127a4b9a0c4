import { createHmac } from 'node:crypto';
import type { RowVerdict } from '../../../model/job.js';
import { number, text } from '../records.js';
import type { Batch, CachedVerdict, ResultCache } from '../store.js';
import type { Sql, Sqlite } from './sqlite.js';

/** What an address is remembered by: nobody without the secret of the data directory can tell which one it is. */
export type HideAddress = (email: string) => string;

/** Hides addresses by a secret that is asked for at the first one. */
export function hideWith(secretOf: () => Uint8Array): HideAddress {
  let secret: Uint8Array | null = null;
  return (email) => {
    secret ??= secretOf();
    return createHmac('sha256', secret).update(email).digest('base64url');
  };
}

/** The result cache on SQLite. */
export function sqliteCache(sqlite: Sqlite, hide: HideAddress): ResultCache {
  const keyOf = (scope: string, email: string): string => `${scope} ${hide(email)}`;
  return {
    cached: (scope, emails) =>
      sqlite.read((sql) => {
        const wanted = new Map(emails.map((email) => [keyOf(scope, email), email]));
        const rows = sql.all(
          'SELECT cache.* FROM json_each(?) AS wanted CROSS JOIN cache ON cache.key = wanted.value',
          JSON.stringify([...wanted.keys()]),
        );
        const known = new Map<string, CachedVerdict>();
        for (const row of rows) {
          const verdict = unpack(text(row, 'verdict'));
          const email = wanted.get(text(row, 'key'));
          if (verdict === null || email === undefined) continue;
          known.set(email, { checkedAt: number(row, 'checked_at'), verdict });
        }
        return known;
      }),
    pruneCache: (before) => sqlite.write((sql) => sql.run('DELETE FROM cache WHERE checked_at < ?', before)),
  };
}

/** Remembers verdicts inside the caller's transaction: one statement, and in the order of the keys, which halves the work. */
export function rememberVerdicts(sql: Sql, { scope, entries }: Batch['cache'], hide: HideAddress, now: number): void {
  if (entries.length === 0) return;
  const rows = entries.map(({ email, verdict }) => [`${scope} ${hide(email)}`, pack(verdict)] as const);
  rows.sort(([a], [b]) => (a < b ? -1 : 1));
  sql.run(
    'INSERT OR REPLACE INTO cache SELECT value ->> 0, value ->> 1, ? FROM json_each(?)',
    now,
    JSON.stringify(rows),
  );
}

function pack({ status, sub_status, confidence, safe_to_send, did_you_mean }: RowVerdict): string {
  return JSON.stringify([status, sub_status, confidence, safe_to_send, did_you_mean]);
}

type Packed = [status: string, subStatus: string, confidence: number, safeToSend: boolean, didYouMean: string | null];

/** Null for what cannot be read: it is asked again, which is all that a cache saves. */
function unpack(packed: string): RowVerdict | null {
  let fields: unknown;
  try {
    fields = JSON.parse(packed);
  } catch {
    return null;
  }
  const kinds = Array.isArray(fields) ? fields.map((field) => typeof field).join(' ') : '';
  if (!/^string string number boolean (?:string|object)$/.test(kinds)) return null;
  const [status, sub_status, confidence, safe_to_send, did_you_mean] = fields as Packed;
  return { status, sub_status, confidence, safe_to_send, did_you_mean };
}
