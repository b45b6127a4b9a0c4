import { randomUUID } from 'node:crypto';
import { Failure } from '../model/failure.js';
import { isGone } from './process-identity.js';
import type { Sql, Sqlite } from './sqlite.js';
import { giveCredits, takeCredits } from './sqlite-credits.js';
import { number, readKey, text } from './sqlite-records.js';
import type { KeyRecord, KeyStore } from './store.js';

/** Keys and credits on SQLite. */
export function sqliteKeys(sqlite: Sqlite): KeyStore {
  return {
    addKey: (key, hash) => sqlite.write((sql) => insertKey(sql, key, hash)),
    listKeys: () => sqlite.read((sql) => sql.all('SELECT * FROM keys ORDER BY created_at, id').map(readKey)),
    findKey: (hash, now) => sqlite.read((sql) => findKey(sql, hash, now)),
    findKeys: (hashes, now) => sqlite.read((sql) => hashes.map((hash) => findKey(sql, hash, now))),
    touchKeys: (uses) =>
      sqlite.write((sql) => {
        for (const [id, at] of uses) sql.run('UPDATE keys SET last_used_at = ? WHERE id = ?', at, id);
      }),
    revokeKey: (id, now) =>
      sqlite.write((sql) => {
        sql.run('UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?', now, id);
        return keyById(sql, id);
      }),
    reserveCredits: (keyId, amount, holder, now) => sqlite.write((sql) => reserve(sql, keyId, amount, holder, now)),
    settleCredits: (id, used) => sqlite.write((sql) => settle(sql, id, used)),
    moveCredits: (moves, holder, now) =>
      sqlite.write((sql) => {
        for (const { reservationId, used } of moves.settle) settle(sql, reservationId, used);
        return moves.reserve.map(({ keyId, amount }) => {
          try {
            return reserve(sql, keyId, amount, holder, now);
          } catch (refusal) {
            // It is thrown before anything is written, so the others stand.
            if (refusal instanceof Failure && refusal.code === 'no_credits') return refusal;
            throw refusal;
          }
        });
      }),
    refundAbandoned: () =>
      sqlite.write((sql) => {
        const dead = sql.all('SELECT id, holder FROM reservations').filter((row) => isGone(text(row, 'holder')));
        for (const row of dead) settle(sql, text(row, 'id'), 0);
        return dead.length;
      }),
  };
}

function insertKey(sql: Sql, key: KeyRecord, hash: string): void {
  sql.run(
    'INSERT INTO keys (id, name, prefix, hash, plan, credits, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    key.id,
    key.name,
    key.prefix,
    hash,
    key.plan,
    key.credits,
    key.createdAt,
    key.expiresAt,
  );
}

function findKey(sql: Sql, hash: string, now: number): KeyRecord | null {
  const row = sql.get('SELECT * FROM keys WHERE hash = ?', hash);
  if (row === null) return null;
  const key = readKey(row);
  return key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now) ? null : key;
}

function keyById(sql: Sql, id: string): KeyRecord | null {
  const row = sql.get('SELECT * FROM keys WHERE id = ?', id);
  return row === null ? null : readKey(row);
}

function reserve(sql: Sql, keyId: string, amount: number, holder: string, now: number): string {
  takeCredits(sql, keyId, amount);
  const id = randomUUID();
  sql.run('INSERT INTO reservations VALUES (?, ?, ?, ?, ?)', id, keyId, amount, holder, now);
  return id;
}

function settle(sql: Sql, id: string, used: number): void {
  const row = sql.get('SELECT key_id, amount FROM reservations WHERE id = ?', id);
  if (row === null) return;
  giveCredits(sql, text(row, 'key_id'), number(row, 'amount') - used);
  sql.run('DELETE FROM reservations WHERE id = ?', id);
}
