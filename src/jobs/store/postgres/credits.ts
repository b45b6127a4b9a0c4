import type { Failure } from '../../../model/failure.js';
import { grantEach } from '../credit-sums.js';
import { number, numberOrNull, text } from '../records.js';
import type { Sql } from './database.js';

/** Takes so many from a key inside the caller's transaction. A key without a limit, and an owner that is no key, pay nothing. */
export async function takeCredits(sql: Sql, keyId: string, wanted: number): Promise<void> {
  const [refusal] = await takeEach(sql, keyId, [wanted]);
  if (refusal != null) throw refusal;
}

/** The same for several wishes, in their order: for each null, or why it was not granted. */
export async function takeEach(sql: Sql, keyId: string, wishes: readonly number[]): Promise<(Failure | null)[]> {
  const row = await sql.get('SELECT credits FROM mailvet.keys WHERE id = $1 FOR UPDATE', keyId);
  const { refusals, taken } = grantEach(row === null ? null : numberOrNull(row, 'credits'), wishes);
  if (taken > 0) await sql.run('UPDATE mailvet.keys SET credits = credits - $1 WHERE id = $2', taken, keyId);
  return refusals;
}

/** Gives so many back inside the caller's transaction. */
export async function giveCredits(sql: Sql, keyId: string, unused: number): Promise<void> {
  if (unused <= 0) return;
  await sql.run('UPDATE mailvet.keys SET credits = credits + $1 WHERE id = $2 AND credits IS NOT NULL', unused, keyId);
}

/** Charges an ended job, where it was to be charged, for the unique rows that were answered, and gives back the rest of what it had reserved. */
export async function settleJob(sql: Sql, jobNum: number): Promise<void> {
  const row = await sql.get(
    `SELECT owner, reserved, least(reserved, processed - duplicate) AS used FROM mailvet.jobs
     WHERE num = $1 AND reserved IS NOT NULL`,
    jobNum,
  );
  if (row === null) return;
  await giveCredits(sql, text(row, 'owner'), number(row, 'reserved') - number(row, 'used'));
  await sql.run('UPDATE mailvet.jobs SET reserved = $1 WHERE num = $2', number(row, 'used'), jobNum);
}
