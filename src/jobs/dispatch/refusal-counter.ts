import type { ProbeAnswer } from '../../net/probe/prober.js';

/** So many refusals in a row are no accident. */
const refusalsInARow = 3;
/** A guess at what a vague reply means is no proof that we are not wanted. */
const minCertainty = 0.7;

/** The mail server refuses us, whoever the mailbox is. */
export function isClientRefused({ mailbox: { outcome, certainty } }: ProbeAnswer): boolean {
  return outcome.state === 'unknown' && outcome.reason === 'antispam_system' && certainty >= minCertainty;
}

/** Counts how often each party refuses us in a row. */
interface RefusalCounter {
  /** True where the party has refused us often enough to be left to others. */
  isBlocked(party: string, answer: ProbeAnswer): boolean;
}

/** Nobody has refused us yet. */
export function createRefusalCounter(): RefusalCounter {
  const inARow = new Map<string, number>();
  return {
    isBlocked: (party, answer) => {
      if (!isClientRefused(answer)) {
        // What told nothing about the mailbox tells nothing about us, either.
        if (answer.mailbox.outcome.state !== 'unknown') inARow.delete(party);
        return false;
      }
      const count = (inARow.get(party) ?? 0) + 1;
      inARow.set(party, count);
      return count >= refusalsInARow;
    },
  };
}
