import { randomUUID } from 'node:crypto';
import type { Failure } from '../../../model/failure.js';
import { settledSums, wishesByKey } from '../credit-sums.js';
import type { CreditMoves, KeyChange, KeyRecord, KeyStore, MovedCredits } from '../keys.js';
import { keyValues, newKeyColumns } from '../new-records.js';
import { number, readKey, text } from '../records.js';
import { giveCredits, takeCredits, takeEach } from './credits.js';
import type { Database, Sql } from './database.js';
import { type Heartbeat, isDead } from './heartbeat.js';
import { notifyNodes } from './listener.js';
import { takeRequests } from './rates-table.js';

/** Keys and credits on PostgreSQL; what is reserved is noted as this process's. */
export function postgresKeys(database: Database, presence: Heartbeat): KeyStore {
  return {
    addKey: (key, hash) =>
      database.write(async (sql) => {
        await insertKey(sql, key, hash);
        await notifyNodes(sql);
      }),
    listKeys: () =>
      database.read(async (sql) => (await sql.all('SELECT * FROM mailvet.keys ORDER BY created_at, id')).map(readKey)),
    findKey: async (hash, now) => (await findKeys(database, [hash], now))[0] ?? null,
    findKeys: (hashes, now) => findKeys(database, hashes, now),
    touchKeys: (uses) =>
      database.write(async (sql) => {
        await sql.run(
          `UPDATE mailvet.keys SET last_used_at = greatest(last_used_at, used.at)
           FROM unnest($1::text[], $2::bigint[]) AS used (id, at) WHERE keys.id = used.id`,
          [...uses.keys()],
          [...uses.values()],
        );
      }),
    revokeKey: (id, now) =>
      database.write(async (sql) => {
        const row = await sql.get(
          'UPDATE mailvet.keys SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2 RETURNING *',
          now,
          id,
        );
        await notifyNodes(sql);
        return row === null ? null : readKey(row);
      }),
    getKey: (id) => database.read((sql) => keyById(sql, id)),
    changeKey: (id, change) =>
      database.write(async (sql) => {
        await changeKey(sql, id, change);
        await notifyNodes(sql);
        return keyById(sql, id);
      }),
    reserveCredits: async (keyId, amount, now) => {
      await presence.signIn();
      return database.write(async (sql) => {
        await takeCredits(sql, keyId, amount);
        return noteReservation(sql, keyId, amount, presence.id, now);
      });
    },
    settleCredits: (id, used) =>
      database.write(async (sql) => {
        await settle(sql, id, used);
      }),
    moveCredits: async (moves, now) => {
      await presence.signIn();
      return database.write((sql) => moveCredits(sql, moves, presence.id, now));
    },
    takeRequests: (wishes, perSecond) => takeRequests(database, wishes, perSecond),
    refundAbandoned: async () => {
      await presence.signIn();
      return refundAbandoned(database);
    },
  };
}

/** Gives back what dead processes had reserved, each once, whoever looks. */
export function refundAbandoned(database: Database): Promise<number> {
  return database.write(async (sql) => {
    const dead = await sql.all(
      `SELECT id FROM mailvet.reservations WHERE ${isDead('reservations.holder')} ORDER BY id FOR UPDATE SKIP LOCKED`,
    );
    for (const row of dead) await settle(sql, text(row, 'id'), 0);
    return dead.length;
  });
}

function insertKey(sql: Sql, key: KeyRecord, hash: string): Promise<number> {
  return sql.run(
    `INSERT INTO mailvet.keys (${newKeyColumns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    ...keyValues(key, hash),
  );
}

async function keyById(sql: Sql, id: string): Promise<KeyRecord | null> {
  const row = await sql.get('SELECT * FROM mailvet.keys WHERE id = $1', id);
  return row === null ? null : readKey(row);
}

async function changeKey(sql: Sql, id: string, { name, addCredits, expiresAt }: KeyChange): Promise<void> {
  if (name !== undefined) await sql.run('UPDATE mailvet.keys SET name = $1 WHERE id = $2', name, id);
  if (expiresAt !== undefined) await sql.run('UPDATE mailvet.keys SET expires_at = $1 WHERE id = $2', expiresAt, id);
  if (addCredits === undefined) return;
  await sql.run('UPDATE mailvet.keys SET credits = credits + $1, granted = granted + $1 WHERE id = $2', addCredits, id);
}

async function findKeys(database: Database, hashes: readonly string[], now: number): Promise<(KeyRecord | null)[]> {
  const rows = await database.read((sql) =>
    sql.all(
      `SELECT * FROM mailvet.keys WHERE hash = ANY($1) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)`,
      hashes,
      now,
    ),
  );
  const found = new Map(rows.map((row) => [text(row, 'hash'), readKey(row)]));
  return hashes.map((hash) => found.get(hash) ?? null);
}

async function moveCredits(
  sql: Sql,
  { settle: parts, reserve }: CreditMoves,
  holder: string,
  now: number,
): Promise<MovedCredits> {
  const sums = settledSums(parts);
  await lockKeys(sql, [...sums.keys()], reserve);
  const gone = new Set<string>();
  for (const [id, { amount, used }] of sums) if (!(await settle(sql, id, used, amount))) gone.add(id);
  const reserved = await reserveEach(sql, reserve, holder, now);
  return { reserved, gone };
}

/** One reservation for all wishes of a key that its balance bears. */
async function reserveEach(
  sql: Sql,
  reserve: CreditMoves['reserve'],
  holder: string,
  now: number,
): Promise<(string | Failure)[]> {
  const outcomes: (string | Failure)[] = new Array(reserve.length).fill('');
  for (const [keyId, indexes] of wishesByKey(reserve)) {
    const amounts = indexes.map((index) => reserve[index]?.amount ?? 0);
    const refusals = await takeEach(sql, keyId, amounts);
    const granted = amounts.reduce((sum, amount, at) => (refusals[at] == null ? sum + amount : sum), 0);
    const id = granted === 0 ? '' : await noteReservation(sql, keyId, granted, holder, now);
    for (const [at, index] of indexes.entries()) outcomes[index] = refusals[at] ?? id;
  }
  return outcomes;
}

/** All that a transaction will change, in one order: two that take each other's keys would wait for ever. */
async function lockKeys(sql: Sql, reservations: readonly string[], reserve: CreditMoves['reserve']): Promise<void> {
  await sql.run(
    `SELECT FROM mailvet.keys WHERE id = ANY($1) OR id IN (SELECT key_id FROM mailvet.reservations WHERE id = ANY($2))
     ORDER BY id FOR UPDATE`,
    reserve.map(({ keyId }) => keyId),
    reservations,
  );
}

async function noteReservation(sql: Sql, keyId: string, amount: number, holder: string, now: number): Promise<string> {
  const id = randomUUID();
  await sql.run('INSERT INTO mailvet.reservations VALUES ($1, $2, $3, $4, $5)', id, keyId, amount, holder, now);
  return id;
}

/** Charges `used` of `part` of a reservation, gives back the rest of that part, and leaves the others reserved. False where it is gone. */
async function settle(sql: Sql, id: string, used: number, part = Number.POSITIVE_INFINITY): Promise<boolean> {
  const row = await sql.get('SELECT key_id, amount FROM mailvet.reservations WHERE id = $1 FOR UPDATE', id);
  if (row === null) return false;
  const amount = number(row, 'amount');
  await giveCredits(sql, text(row, 'key_id'), Math.min(part, amount) - used);
  if (part < amount) await sql.run('UPDATE mailvet.reservations SET amount = amount - $1 WHERE id = $2', part, id);
  else await sql.run('DELETE FROM mailvet.reservations WHERE id = $1', id);
  return true;
}
