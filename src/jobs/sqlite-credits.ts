import { Failure } from '../model/failure.js';
import type { Sql } from './sqlite.js';
import { number, numberOrNull } from './sqlite-records.js';

/** Takes `amount` from a key inside the caller's transaction. A key without a limit, and an owner that is no key, pay nothing. */
export function takeCredits(sql: Sql, keyId: string, amount: number): void {
  const row = sql.get('SELECT credits FROM keys WHERE id = ?', keyId);
  const balance = row === null ? null : numberOrNull(row, 'credits');
  if (balance === null || amount === 0) return;
  if (balance < amount) {
    throw new Failure('no_credits', `This needs ${amount} credits, and the balance is ${balance}.`, {
      hint: 'Validate fewer addresses, or use a key with more credits (mailvet keys create --credits N).',
    });
  }
  sql.run('UPDATE keys SET credits = credits - ? WHERE id = ?', amount, keyId);
}

/** Gives `amount` back inside the caller's transaction. */
export function giveCredits(sql: Sql, keyId: string, amount: number): void {
  if (amount <= 0) return;
  sql.run('UPDATE keys SET credits = credits + ? WHERE id = ? AND credits IS NOT NULL', amount, keyId);
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
