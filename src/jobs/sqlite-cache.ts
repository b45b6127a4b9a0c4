import type { RowVerdict } from '../model/job.js';
import type { Sql, Sqlite } from './sqlite.js';
import { number, text } from './sqlite-records.js';
import type { Batch, ResultCache } from './store.js';

/** The result cache on SQLite. */
export function sqliteCache(sqlite: Sqlite): ResultCache {
  return {
    cached: (scope, emails) =>
      sqlite.read((sql) => {
        const rows = sql.all(
          'SELECT cache.* FROM json_each(?) AS wanted CROSS JOIN cache ON cache.key = wanted.value',
          JSON.stringify(emails.map((email) => keyOf(scope, email))),
        );
        return new Map(
          rows.map((row) => [
            text(row, 'key').slice(scope.length + 1),
            { checkedAt: number(row, 'checked_at'), verdict: unpack(text(row, 'verdict')) },
          ]),
        );
      }),
    pruneCache: (before) => sqlite.write((sql) => sql.run('DELETE FROM cache WHERE checked_at < ?', before)),
  };
}

/** Remembers verdicts inside the caller's transaction: one statement, and in the order of the keys, which halves the work. */
export function rememberVerdicts(sql: Sql, { scope, entries }: Batch['cache'], now: number): void {
  if (entries.length === 0) return;
  const rows = entries.map(({ email, verdict }) => [keyOf(scope, email), pack(verdict)] as const);
  rows.sort(([a], [b]) => (a < b ? -1 : 1));
  sql.run(
    'INSERT OR REPLACE INTO cache SELECT value ->> 0, value ->> 1, ? FROM json_each(?)',
    now,
    JSON.stringify(rows),
  );
}

function keyOf(scope: string, email: string): string {
  return `${scope} ${email.replaceAll('\0', '\ufffd')}`;
}

function pack({ status, sub_status, confidence, safe_to_send, did_you_mean }: RowVerdict): string {
  return JSON.stringify([status, sub_status, confidence, safe_to_send, did_you_mean]);
}

function unpack(packed: string): RowVerdict {
  const [status, sub_status, confidence, safe_to_send, did_you_mean] = JSON.parse(packed) as [
    string,
    string,
    number,
    boolean,
    string | null,
  ];
  return { status, sub_status, confidence, safe_to_send, did_you_mean };
}
