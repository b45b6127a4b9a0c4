import type { Failure } from '../../../model/failure.js';
import { grantEach } from '../credit-sums.js';
import { number, numberOrNull } from '../records.js';
import type { Sql } from './sqlite.js';

/** Takes so many from a key inside the caller's transaction. A key without a limit, and an owner that is no key, pay nothing. */
export function takeCredits(sql: Sql, keyId: string, wanted: number): void {
  const [refusal] = takeEach(sql, keyId, [wanted]);
  if (refusal != null) throw refusal;
}

/** The same for several wishes, in their order: for each null, or why it was not granted. */
export function takeEach(sql: Sql, keyId: string, wishes: readonly number[]): (Failure | null)[] {
  const row = sql.get('SELECT credits FROM keys WHERE id = ?', keyId);
  const balance = row === null ? null : numberOrNull(row, 'credits');
  const { refusals, taken } = grantEach(balance, wishes);
  if (taken > 0) sql.run('UPDATE keys SET credits = credits - ? WHERE id = ?', taken, keyId);
  return refusals;
}

/** Gives so many back inside the caller's transaction. */
export function giveCredits(sql: Sql, keyId: string, unused: number): void {
  if (unused <= 0) return;
  sql.run('UPDATE keys SET credits = credits + ? WHERE id = ? AND credits IS NOT NULL', unused, keyId);
}

/** Charges an ended job, where it was to be charged, for the unique rows that were answered, and gives back the rest of what it had reserved. */
export function settleJob(sql: Sql, jobNum: number): void {
  const row = sql.get(
    `SELECT owner, reserved, min(reserved, processed - duplicate) AS used FROM jobs WHERE num = ? AND reserved IS NOT NULL`,
    jobNum,
  );
  if (row === null) return;
  giveCredits(sql, String(row['owner']), number(row, 'reserved') - number(row, 'used'));
  sql.run('UPDATE jobs SET reserved = ? WHERE num = ?', number(row, 'used'), jobNum);
}
