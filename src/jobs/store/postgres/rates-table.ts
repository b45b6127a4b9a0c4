import { number, text } from '../records.js';
import type { Database } from './database.js';

/** A bucket for each key that fills by the database's clock, with a second's worth at most; gives what each wish gets of it. */
export async function takeRequests(
  database: Database,
  wishes: readonly { keyId: string; wanted: number }[],
  perSecond: number,
): Promise<number[]> {
  const burst = Math.max(1, perSecond);
  const keys = wishes.map(({ keyId }) => keyId);
  const granted = await database.writeRepeatable(async (sql) => {
    await sql.run(
      `INSERT INTO mailvet.rates SELECT key_id, $2, mailvet.now_ms() FROM unnest($1::text[]) AS given (key_id) ORDER BY key_id
       ON CONFLICT DO NOTHING`,
      keys,
      burst,
    );
    return sql.all(
      `WITH full_ones AS (
         SELECT rates.key_id, wanted, mailvet.now_ms() AS now,
           least($3, tokens + greatest(0, mailvet.now_ms() - at) * $4::double precision / 1000) AS tokens
         FROM mailvet.rates JOIN unnest($1::text[], $2::integer[]) AS given (key_id, wanted) USING (key_id)
         ORDER BY rates.key_id FOR UPDATE OF rates)
       UPDATE mailvet.rates SET tokens = full_ones.tokens - least(wanted, floor(full_ones.tokens)), at = full_ones.now
       FROM full_ones WHERE rates.key_id = full_ones.key_id
       RETURNING rates.key_id, least(wanted, floor(full_ones.tokens)) AS granted`,
      keys,
      wishes.map(({ wanted }) => wanted),
      burst,
      perSecond,
    );
  }, 0);
  const byKey = new Map(granted.map((row) => [text(row, 'key_id'), number(row, 'granted')]));
  return wishes.map(({ keyId }) => byKey.get(keyId) ?? 0);
}
