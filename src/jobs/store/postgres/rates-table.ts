import { readNumber, readText } from '../records.js';
import type { Database } from './database.js';

/** A token bucket for each key, filled by the database's clock up to one second's worth. Returns how many requests each key may make. */
export async function takeRequests(
  database: Database,
  requests: readonly { keyId: string; requested: number }[],
  perSecond: number,
): Promise<number[]> {
  const burst = Math.max(1, perSecond);
  const keys = requests.map(({ keyId }) => keyId);
  const granted = await database.writeRepeatable(async (sql) => {
    await sql.run(
      `INSERT INTO mailvet.rates SELECT key_id, $2, mailvet.now_ms() FROM unnest($1::text[]) AS given (key_id) ORDER BY key_id
       ON CONFLICT DO NOTHING`,
      keys,
      burst,
    );
    return sql.all(
      `WITH filled AS (
         SELECT rates.key_id, requested, mailvet.now_ms() AS now,
           least($3, tokens + greatest(0, mailvet.now_ms() - at) * $4::double precision / 1000) AS tokens
         FROM mailvet.rates JOIN unnest($1::text[], $2::integer[]) AS given (key_id, requested) USING (key_id)
         ORDER BY rates.key_id FOR UPDATE OF rates)
       UPDATE mailvet.rates SET tokens = filled.tokens - least(requested, floor(filled.tokens)), at = filled.now
       FROM filled WHERE rates.key_id = filled.key_id
       RETURNING rates.key_id, least(requested, floor(filled.tokens)) AS granted`,
      keys,
      requests.map(({ requested }) => requested),
      burst,
      perSecond,
    );
  }, 0);
  const byKey = new Map(granted.map((row) => [readText(row, 'key_id'), readNumber(row, 'granted')]));
  return requests.map(({ keyId }) => byKey.get(keyId) ?? 0);
}
