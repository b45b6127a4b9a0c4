import { randomUUID } from 'node:crypto';
import { formatAmount } from '../../model/amount.js';
import { Failure } from '../../model/failure.js';
import type { StoredJob } from './job-record.js';
import {
  allLocked,
  forRequests,
  getLocked,
  inList,
  insert,
  listValue,
  run,
  type SqlBackend,
  type Steps,
} from './sql.js';

/** Credits to settle and to reserve in one transaction; returned credits can be reserved again. */
interface CreditMoves {
  reserve: readonly { keyId: string; amount: number }[];
  /** Requests granted together share a reservation; each settles its own part of it, once. */
  settle: readonly { reservationId: string; amount: number; used: number }[];
}

interface MovedCredits {
  /** The reservation of each request, or why it was refused. */
  reserved: (string | Failure)[];
  /** Reservations that no longer exist: their process was considered dead, and they were refunded. */
  missing: ReadonlySet<string>;
}

/** Credits are reserved before the work and settled after it, each in one transaction, so that none is spent twice. */
export function creditsTable(backend: SqlBackend) {
  return {
    /** Reserves and settles many amounts in one transaction, so that a busy server waits for the disk once. */
    moveCredits: async (moves: CreditMoves, now: number) => {
      await backend.register();
      return backend.write(() => moveCredits(moves, backend.processId, now), forRequests);
    },
    /** Refunds the reservations of dead processes. */
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

/** Takes credits from a key, or throws `no_credits`. A key without a limit and an owner without a key pay nothing. */
export function* takeCredits(keyId: string, amount: number): Steps<void> {
  const [refusal] = yield* takeAmounts(keyId, [amount]);
  if (refusal != null) throw refusal;
}

/** Charges an ended job for its answered unique rows, and returns the rest of its reserved credits. */
export function* settleJob(num: number): Steps<void> {
  const job = yield* getLocked<StoredJob>('SELECT * FROM jobs WHERE num = ?', num);
  if (job === null || job.reserved === null) return;
  const { owner, reserved, valid, invalid, risky, unknown } = job;
  // Empty and suppressed rows are processed, and are in none of these counts.
  const used = Math.min(reserved, valid + invalid + risky + unknown);
  yield* returnCredits(owner, reserved - used);
  yield* run('UPDATE jobs SET reserved = ? WHERE num = ?', used, num);
}

/** Takes each amount in order while the balance allows it. Returns null or the refusal for each. */
function* takeAmounts(keyId: string, amounts: readonly number[]): Steps<(Failure | null)[]> {
  const key = yield* getLocked<{ credits: number | null }>('SELECT credits FROM keys WHERE id = ?', keyId);
  const balance = key?.credits ?? null;
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
  yield* allLocked(select, listValue(keyIds), listValue(reservationIds));
}

/** Makes one reservation for each key, of all amounts that its balance allows. */
function* reserveAmounts(requests: CreditMoves['reserve'], holder: string, now: number): Steps<(string | Failure)[]> {
  const outcomes: (string | Failure)[] = new Array(requests.length).fill('');
  for (const keyId of new Set(requests.map((request) => request.keyId))) {
    const indexes = [...requests.keys()].filter((index) => requests[index]?.keyId === keyId);
    const amounts = indexes.map((index) => requests[index]?.amount ?? 0);
    const refusals = yield* takeAmounts(keyId, amounts);
    const amount = amounts.reduce((sum, each, at) => (refusals[at] == null ? sum + each : sum), 0);
    const id = amount === 0 ? '' : randomUUID();
    if (amount > 0) yield* insert('reservations', { id, keyId, amount, holder, createdAt: now });
    for (const [position, index] of indexes.entries()) outcomes[index] = refusals[position] ?? id;
  }
  return outcomes;
}

/** Charges `used` of `part` of a reservation and returns the rest of that part. False if the reservation is gone. */
function* settle(id: string, used: number, part = Number.POSITIVE_INFINITY): Steps<boolean> {
  const find = 'SELECT key_id, amount FROM reservations WHERE id = ?';
  const reservation = yield* getLocked<{ keyId: string; amount: number }>(find, id);
  if (reservation === null) return false;
  const { keyId, amount } = reservation;
  yield* returnCredits(keyId, Math.min(part, amount) - used);
  if (part < amount) yield* run('UPDATE reservations SET amount = amount - ? WHERE id = ?', part, id);
  else yield* run('DELETE FROM reservations WHERE id = ?', id);
  return true;
}

function tooFewCredits(requested: number, balance: number): Failure {
  return new Failure('no_credits', `This needs ${formatAmount(requested, 'credit')}, but the balance is ${balance}.`, {
    hint: 'Validate fewer addresses, or use a key with more credits (mailvet keys create --credits N).',
  });
}
