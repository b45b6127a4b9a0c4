import { randomUUID } from 'node:crypto';
import { formatAmount } from '../../../model/amount.js';
import type { ApiKeyChange } from '../../../model/api-key.js';
import { Failure } from '../../../model/failure.js';
import type { CreditMoves, KeyRecord, KeyStore, MovedCredits } from '../keys.js';
import { readNumber, readNumberOrNull, readText, readTextOrNull, type StoredRow } from '../records.js';
import {
  all,
  forRequests,
  get,
  getLocked,
  inList,
  listValue,
  lock,
  placeholders,
  run,
  type SqlBackend,
  type Steps,
} from './steps.js';

export function keysTable(backend: SqlBackend): KeyStore {
  const { processId, notifyNodes } = backend;
  const findKeys: KeyStore['findKeys'] = async (hashes, now) => {
    const find = `SELECT * FROM keys WHERE hash ${inList} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)`;
    const rows = await backend.read(() => all(find, listValue(hashes), now), forRequests);
    const byHash = new Map(rows.map((row) => [readText(row, 'hash'), readKey(row)]));
    return hashes.map((hash) => byHash.get(hash) ?? null);
  };
  return {
    addKey: (key, hash) =>
      backend.write(function* () {
        const { id, name, prefix, plan, credits, granted, createdAt, expiresAt, memberId = null } = key;
        const values = [id, name, prefix, hash, plan, credits, granted, createdAt, expiresAt, memberId];
        yield* run(`INSERT INTO keys (${newKeyColumns}) VALUES (${placeholders(values.length)})`, ...values);
        yield* notifyNodes();
      }),
    listKeys: () => listKeys(backend),
    findKey: async (hash, now) => (await findKeys([hash], now))[0] ?? null,
    findKeys,
    touchKeys: (uses) => touchKeys(backend, [...uses]),
    revokeKey: (id, now) =>
      backend.write(function* () {
        const revoke = 'UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ? RETURNING *';
        const row = yield* get(revoke, now, id);
        yield* notifyNodes();
        return row === null ? null : readKey(row);
      }),
    getKey: (id) => backend.read(() => keyById(id), forRequests),
    changeKey: (id, change) => backend.write(() => changeKey(backend, id, change)),
    moveCredits: async (moves, now) => {
      await backend.register();
      return backend.write(() => moveCredits(moves, processId, now), forRequests);
    },
    refundAbandoned: async () => {
      await backend.register();
      return refundAbandoned(backend);
    },
  };
}

/** Returns the credits that dead processes had reserved, and how many reservations there were. */
export function refundAbandoned(backend: SqlBackend): Promise<number> {
  return backend.write(function* () {
    const ids = yield* backend.abandonedReservations();
    yield* lockKeys([], ids);
    for (const id of ids) yield* settle(id, 0);
    return ids.length;
  });
}

const newKeyColumns = 'id, name, prefix, hash, plan, credits, granted, created_at, expires_at, member';

/** Oldest first. */
async function listKeys(backend: SqlBackend): Promise<KeyRecord[]> {
  const keys: KeyRecord[] = [];
  for (let size = backend.maxRows; size === backend.maxRows; ) {
    const afterId = keys.at(-1)?.id ?? '';
    const next = 'SELECT * FROM keys WHERE id > ? ORDER BY id LIMIT ?';
    const page = await backend.read(() => all(next, afterId, backend.maxRows));
    keys.push(...page.map(readKey));
    size = page.length;
  }
  return keys.sort((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1));
}

async function touchKeys(backend: SqlBackend, uses: readonly [id: string, usedAt: number][]): Promise<void> {
  const touch = `UPDATE keys SET last_used_at = CAST(used.value ->> 1 AS bigint) FROM json_each(?) AS used
    WHERE keys.id = used.value ->> 0 AND coalesce(last_used_at, 0) < CAST(used.value ->> 1 AS bigint)`;
  for (let first = 0; first < uses.length; first += backend.maxRows) {
    await backend.write(() => run(touch, JSON.stringify(uses.slice(first, first + backend.maxRows))));
  }
}

function* keyById(id: string): Steps<KeyRecord | null> {
  const row = yield* get('SELECT * FROM keys WHERE id = ?', id);
  return row === null ? null : readKey(row);
}

function* changeKey(backend: SqlBackend, id: string, change: ApiKeyChange): Steps<KeyRecord | null> {
  const { name, credits, expiresAt } = change;
  if (name !== undefined) yield* run('UPDATE keys SET name = ? WHERE id = ?', name, id);
  if (expiresAt !== undefined) yield* run('UPDATE keys SET expires_at = ? WHERE id = ?', expiresAt, id);
  if (credits === null) yield* run('UPDATE keys SET credits = NULL, granted = NULL WHERE id = ?', id);
  else if (credits !== undefined) {
    // What was used stays part of what was granted.
    const set = 'UPDATE keys SET granted = coalesce(granted - credits, 0) + ?, credits = ? WHERE id = ?';
    yield* run(set, credits, credits, id);
  }
  yield* backend.notifyNodes();
  return yield* keyById(id);
}

/** Takes credits from a key, or throws `no_credits`. A key without a limit and an owner without a key pay nothing. */
export function* takeCredits(keyId: string, amount: number): Steps<void> {
  const [refusal] = yield* takeAmounts(keyId, [amount]);
  if (refusal != null) throw refusal;
}

/** Takes each amount in order while the balance allows it. Returns null or the refusal for each. */
function* takeAmounts(keyId: string, amounts: readonly number[]): Steps<(Failure | null)[]> {
  const row = yield* getLocked('SELECT credits FROM keys WHERE id = ?', keyId);
  const balance = row === null ? null : readNumberOrNull(row, 'credits');
  if (balance === null) return amounts.map(() => null);
  let remaining = balance;
  const refusals = amounts.map((amount) => {
    if (amount > remaining) return tooFewCredits(amount, remaining);
    remaining -= amount;
    return null;
  });
  if (remaining < balance) yield* run('UPDATE keys SET credits = credits - ? WHERE id = ?', balance - remaining, keyId);
  return refusals;
}

function* returnCredits(keyId: string, amount: number): Steps<void> {
  if (amount <= 0) return;
  yield* run('UPDATE keys SET credits = credits + ? WHERE id = ? AND credits IS NOT NULL', amount, keyId);
}

/** Charges an ended job for its answered unique rows, and returns the rest of its reserved credits. */
export function* settleJob(jobNum: number): Steps<void> {
  // Empty and suppressed rows are processed, and are in none of these counts.
  const find = `SELECT owner, reserved, valid + invalid + risky + unknown AS answered FROM jobs
    WHERE num = ? AND reserved IS NOT NULL`;
  const row = yield* get(find, jobNum);
  if (row === null) return;
  const reserved = readNumber(row, 'reserved');
  const used = Math.min(reserved, readNumber(row, 'answered'));
  yield* returnCredits(readText(row, 'owner'), reserved - used);
  yield* run('UPDATE jobs SET reserved = ? WHERE num = ?', used, jobNum);
}

function* moveCredits(moves: CreditMoves, holder: string, now: number): Steps<MovedCredits> {
  const sums = new Map<string, { amount: number; used: number }>();
  for (const { reservationId, amount, used } of moves.settle) {
    const sum = sums.get(reservationId) ?? { amount: 0, used: 0 };
    sums.set(reservationId, { amount: sum.amount + amount, used: sum.used + used });
  }
  const keyIds = moves.reserve.map(({ keyId }) => keyId);
  yield* lockKeys(keyIds, sums.keys());
  const missing = new Set<string>();
  for (const [id, { amount, used }] of sums) if (!(yield* settle(id, used, amount))) missing.add(id);
  return { reserved: yield* reserveAmounts(moves.reserve, holder, now), missing };
}

/** Locks these keys and those of the reservations in id order, so that two transactions cannot deadlock. */
function* lockKeys(keyIds: Iterable<string>, reservationIds: Iterable<string>): Steps<void> {
  const select = `SELECT id FROM keys WHERE id ${inList} OR id IN (SELECT key_id FROM reservations WHERE id ${inList}) ORDER BY id`;
  yield* lock(select, listValue(keyIds), listValue(reservationIds));
}

/** Makes one reservation for each key, of all amounts that its balance allows. */
function* reserveAmounts(requests: CreditMoves['reserve'], holder: string, now: number): Steps<(string | Failure)[]> {
  const outcomes: (string | Failure)[] = new Array(requests.length).fill('');
  const indexesByKey = new Map<string, number[]>();
  for (const [index, { keyId }] of requests.entries()) {
    const indexes = indexesByKey.get(keyId);
    if (indexes === undefined) indexesByKey.set(keyId, [index]);
    else indexes.push(index);
  }
  for (const [keyId, indexes] of indexesByKey) {
    const amounts = indexes.map((index) => requests[index]?.amount ?? 0);
    const refusals = yield* takeAmounts(keyId, amounts);
    const granted = amounts.reduce((sum, amount, at) => (refusals[at] == null ? sum + amount : sum), 0);
    const id = granted === 0 ? '' : yield* addReservation(keyId, granted, holder, now);
    for (const [position, index] of indexes.entries()) outcomes[index] = refusals[position] ?? id;
  }
  return outcomes;
}

function* addReservation(keyId: string, amount: number, holder: string, now: number): Steps<string> {
  const id = randomUUID();
  yield* run('INSERT INTO reservations VALUES (?, ?, ?, ?, ?)', id, keyId, amount, holder, now);
  return id;
}

/** Charges `used` of `part` of a reservation and returns the rest of that part. False if the reservation is gone. */
function* settle(id: string, used: number, part = Number.POSITIVE_INFINITY): Steps<boolean> {
  const row = yield* getLocked('SELECT key_id, amount FROM reservations WHERE id = ?', id);
  if (row === null) return false;
  const amount = readNumber(row, 'amount');
  yield* returnCredits(readText(row, 'key_id'), Math.min(part, amount) - used);
  if (part < amount) yield* run('UPDATE reservations SET amount = amount - ? WHERE id = ?', part, id);
  else yield* run('DELETE FROM reservations WHERE id = ?', id);
  return true;
}

function readKey(row: StoredRow): KeyRecord {
  return {
    id: readText(row, 'id'),
    name: readText(row, 'name'),
    prefix: readText(row, 'prefix'),
    plan: readText(row, 'plan'),
    credits: readNumberOrNull(row, 'credits'),
    granted: readNumberOrNull(row, 'granted'),
    createdAt: readNumber(row, 'created_at'),
    expiresAt: readNumberOrNull(row, 'expires_at'),
    revokedAt: readNumberOrNull(row, 'revoked_at'),
    lastUsedAt: readNumberOrNull(row, 'last_used_at'),
    memberId: readTextOrNull(row, 'member'),
  };
}

function tooFewCredits(requested: number, balance: number): Failure {
  return new Failure('no_credits', `This needs ${formatAmount(requested, 'credit')}, but the balance is ${balance}.`, {
    hint: 'Validate fewer addresses, or use a key with more credits (mailvet keys create --credits N).',
  });
}
