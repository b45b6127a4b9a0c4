import { createBatcher } from '../../async/batcher.js';
import type { KeyRecord } from '../../jobs/store/keys.js';
import type { JobStore } from '../../jobs/store/store.js';
import { Failure } from '../../model/failure.js';

export type Billing = ReturnType<typeof openBilling>;

type Move = { keyId: string; amount: number } | { reservationId: string; amount: number; used: number };

/** Billing on the store; concurrent requests share a transaction. */
export function openBilling(store: Pick<JobStore, 'moveCredits'>, onError: (error: unknown) => void) {
  const pendingWrites = new Set<Promise<unknown>>();
  const move = createBatcher(async (moves: readonly Move[]) => {
    const reserve = moves.filter((one) => 'keyId' in one);
    const settle = moves.filter((one) => 'reservationId' in one);
    const { reserved, missing } = await store.moveCredits({ reserve, settle }, Date.now());
    let nextIndex = 0;
    return moves.map((one) => {
      if ('keyId' in one) return reserved[nextIndex++] ?? '';
      return one.used > 0 && missing.has(one.reservationId) ? reservationGone() : '';
    });
  });

  const settle = async (reservationId: string, amount: number, used: number): Promise<void> => {
    const settling = move({ reservationId, amount, used });
    pendingWrites.add(settling);
    try {
      const outcome = await settling;
      if (typeof outcome !== 'string') throw outcome;
    } finally {
      pendingWrites.delete(settling);
    }
  };
  /** Reserves `amount` credits, works, charges what was used and releases the rest. A failure releases all of it. */
  const charge = async <Answer>(
    key: KeyRecord,
    amount: number,
    work: () => Promise<Answer>,
    usedFor: (answer: Answer) => number,
  ): Promise<Answer> => {
    if (key.credits === null || amount === 0) return work();
    const reservation: string | Failure = await move({ keyId: key.id, amount });
    if (typeof reservation !== 'string') throw reservation;
    let answer: Answer;
    try {
      answer = await work();
    } catch (error) {
      await settle(reservation, amount, 0).catch(onError);
      throw error;
    }
    // Charge before the response is sent, so that a killed server cannot lose a charge. An answer that cannot be charged is not sent.
    await settle(reservation, amount, usedFor(answer));
    return answer;
  };
  return {
    charge,
    /** Waits for pending writes. */
    close: async () => {
      await Promise.allSettled(pendingWrites);
    },
  };
}

/** The Failure for a reservation that another node released because it considered this process dead. */
function reservationGone(): Failure {
  return new Failure('unavailable', 'The response came after its credits had been released.', {
    hint: 'Nothing was charged. Send the request again.',
    retryAfterSeconds: 1,
  });
}
