import { amount } from '../../model/amount.js';
import { Failure } from '../../model/failure.js';
import type { CreditMoves } from './keys.js';

/** Grants wishes in their order as far as a balance goes; null is a balance without limit. For each wish null, or why it was not granted. */
export function grantEach(
  balance: number | null,
  wishes: readonly number[],
): { refusals: (Failure | null)[]; taken: number } {
  if (balance === null) return { refusals: wishes.map(() => null), taken: 0 };
  let left = balance;
  const refusals = wishes.map((wanted) => {
    if (wanted > left) return tooFew(wanted, left);
    left -= wanted;
    return null;
  });
  return { refusals, taken: balance - left };
}

function tooFew(wanted: number, balance: number): Failure {
  return new Failure('no_credits', `This needs ${amount(wanted, 'credit')}, but the balance is ${balance}.`, {
    hint: 'Validate fewer addresses, or use a key with more credits (mailvet keys create --credits N).',
  });
}

/** The wishes of each key, by their place in the list: a busy key costs as many statements as an idle one. */
export function wishesByKey(wishes: CreditMoves['reserve']): Map<string, number[]> {
  const byKey = new Map<string, number[]>();
  for (const [index, { keyId }] of wishes.entries()) {
    const indexes = byKey.get(keyId);
    if (indexes === undefined) byKey.set(keyId, [index]);
    else indexes.push(index);
  }
  return byKey;
}

/** What is settled of each reservation together. */
export function settledSums(parts: CreditMoves['settle']): Map<string, { amount: number; used: number }> {
  const sums = new Map<string, { amount: number; used: number }>();
  for (const { reservationId, amount: part, used } of parts) {
    const sum = sums.get(reservationId);
    if (sum === undefined) sums.set(reservationId, { amount: part, used });
    else {
      sum.amount += part;
      sum.used += used;
    }
  }
  return sums;
}
