import type { ProbeAnswer } from '../../net/probe/prober.js';

/** So many refusals in a row are no accident. */
const refusalsInARow = 3;
/** A guess at what a vague reply means is no proof that we are not wanted. */
const leastCertainty = 0.7;

/** The mail server refuses us, whoever the mailbox is. */
export function refusesUs({ mailbox: { outcome, certainty } }: ProbeAnswer): boolean {
  return outcome.state === 'unknown' && outcome.reason === 'antispam_system' && certainty >= leastCertainty;
}

/** Counts how often each party refuses us in a row. */
interface Refusals {
  /** True where the party has refused us often enough to be left to others. */
  note(party: string, answer: ProbeAnswer): boolean;
}

/** Nobody has refused us yet. */
export function openRefusals(): Refusals {
  const inARow = new Map<string, number>();
  return {
    note: (party, answer) => {
      if (!refusesUs(answer)) {
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
