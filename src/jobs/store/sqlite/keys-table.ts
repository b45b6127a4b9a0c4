import { randomUUID } from 'node:crypto';
import { isGone } from '../../../disk/process-identity.js';
import type { Failure } from '../../../model/failure.js';
import { settledSums, wishesByKey } from '../credit-sums.js';
import type { CreditMoves, KeyChange, KeyRecord, KeyStore } from '../keys.js';
import { keyValues, newKeyColumns } from '../new-records.js';
import { number, readKey, text } from '../records.js';
import { giveCredits, takeCredits, takeEach } from './credits.js';
import { forRequests, type Sql, type Sqlite } from './sqlite.js';

/** Keys and credits on SQLite; what is reserved is noted as `holder`'s. */
export function sqliteKeys(sqlite: Sqlite, holder: string): KeyStore {
  return {
    addKey: (key, hash) => sqlite.write((sql) => insertKey(sql, key, hash)),
    listKeys: () => listKeys(sqlite),
    findKey: (hash, now) => sqlite.read((sql) => findKey(sql, hash, now), forRequests),
    findKeys: (hashes, now) => sqlite.read((sql) => hashes.map((hash) => findKey(sql, hash, now)), forRequests),
    touchKeys: async (uses) => {
      const all = [...uses];
      for (let at = 0; at < all.length; at += keysAtOnce) {
        await sqlite.write((sql) => {
          for (const [id, usedAt] of all.slice(at, at + keysAtOnce)) {
            sql.run('UPDATE keys SET last_used_at = ? WHERE id = ?', usedAt, id);
          }
        });
      }
    },
    revokeKey: (id, now) =>
      sqlite.write((sql) => {
        sql.run('UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?', now, id);
        return keyById(sql, id);
      }),
    getKey: (id) => sqlite.read((sql) => keyById(sql, id), forRequests),
    changeKey: (id, change) => sqlite.write((sql) => changeKey(sql, id, change)),
    reserveCredits: (keyId, amount, now) => sqlite.write((sql) => reserve(sql, keyId, amount, holder, now)),
    settleCredits: (id, used) => sqlite.write((sql) => void settle(sql, id, used)),
    moveCredits: (moves, now) =>
      sqlite.write((sql) => {
        const gone = new Set<string>();
        for (const [id, { amount, used }] of settledSums(moves.settle)) {
          if (!settle(sql, id, used, amount)) gone.add(id);
        }
        return { reserved: reserveEach(sql, moves.reserve, holder, now), gone };
      }, forRequests),
    takeRequests: null,
    refundAbandoned: () =>
      sqlite.write((sql) => {
        const dead = sql.all('SELECT id, holder FROM reservations').filter((row) => isGone(text(row, 'holder')));
        for (const row of dead) settle(sql, text(row, 'id'), 0);
        return dead.length;
      }),
  };
}

/** Keys in one transaction: there may be ten thousand, and all who ask would wait. */
const keysAtOnce = 200;

/** In the order of their making. */
async function listKeys(sqlite: Sqlite): Promise<KeyRecord[]> {
  const keys: KeyRecord[] = [];
  for (let size = keysAtOnce; size === keysAtOnce; ) {
    const after = keys.at(-1)?.id ?? '';
    const page = await sqlite.read((sql) =>
      sql.all('SELECT * FROM keys WHERE id > ? ORDER BY id LIMIT ?', after, keysAtOnce).map(readKey),
    );
    keys.push(...page);
    size = page.length;
  }
  return keys.sort((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1));
}

function insertKey(sql: Sql, key: KeyRecord, hash: string): void {
  sql.run(`INSERT INTO keys (${newKeyColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, ...keyValues(key, hash));
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

function changeKey(sql: Sql, id: string, { name, addCredits, expiresAt }: KeyChange): KeyRecord | null {
  if (name !== undefined) sql.run('UPDATE keys SET name = ? WHERE id = ?', name, id);
  if (expiresAt !== undefined) sql.run('UPDATE keys SET expires_at = ? WHERE id = ?', expiresAt, id);
  if (addCredits !== undefined) {
    sql.run('UPDATE keys SET credits = credits + ?, granted = granted + ? WHERE id = ?', addCredits, addCredits, id);
  }
  return keyById(sql, id);
}

function reserve(sql: Sql, keyId: string, amount: number, holder: string, now: number): string {
  takeCredits(sql, keyId, amount);
  return noteReservation(sql, keyId, amount, holder, now);
}

/** One reservation for all wishes of a key that its balance bears. */
function reserveEach(sql: Sql, wishes: CreditMoves['reserve'], holder: string, now: number): (string | Failure)[] {
  const outcomes: (string | Failure)[] = new Array(wishes.length).fill('');
  for (const [keyId, indexes] of wishesByKey(wishes)) {
    const amounts = indexes.map((index) => wishes[index]?.amount ?? 0);
    const refusals = takeEach(sql, keyId, amounts);
    const granted = amounts.reduce((sum, amount, at) => (refusals[at] == null ? sum + amount : sum), 0);
    const id = granted === 0 ? '' : noteReservation(sql, keyId, granted, holder, now);
    for (const [at, index] of indexes.entries()) outcomes[index] = refusals[at] ?? id;
  }
  return outcomes;
}

function noteReservation(sql: Sql, keyId: string, amount: number, holder: string, now: number): string {
  const id = randomUUID();
  sql.run('INSERT INTO reservations VALUES (?, ?, ?, ?, ?)', id, keyId, amount, holder, now);
  return id;
}

/** Charges `used` of `part` of a reservation, gives back the rest of that part, and leaves the others reserved. False where it is gone. */
function settle(sql: Sql, id: string, used: number, part = Number.POSITIVE_INFINITY): boolean {
  const row = sql.get('SELECT key_id, amount FROM reservations WHERE id = ?', id);
  if (row === null) return false;
  const amount = number(row, 'amount');
  giveCredits(sql, text(row, 'key_id'), Math.min(part, amount) - used);
  if (part < amount) sql.run('UPDATE reservations SET amount = amount - ? WHERE id = ?', part, id);
  else sql.run('DELETE FROM reservations WHERE id = ?', id);
  return true;
}
