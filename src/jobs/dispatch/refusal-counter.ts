import type { ProbeAnswer } from '../../net/probe/prober.js';

/** Refusals in a row that count as a block. */
const refusalsUntilBlocked = 3;
/** A vague reply is no proof of a block. */
const minCertainty = 0.7;

/** Whether the mail server refuses this client, whatever the mailbox. */
export function isClientRefused({ mailbox: { outcome, certainty } }: ProbeAnswer): boolean {
  return outcome.state === 'unknown' && outcome.reason === 'antispam_system' && certainty >= minCertainty;
}

/** Counts refusals in a row for each rate limit group. */
export class RefusalCounter {
  private readonly inARow = new Map<string, number>();

  /** Records an answer; true where the group has refused often enough to be left to other workers. */
  isBlocked(rateLimitGroup: string, answer: ProbeAnswer): boolean {
    if (!isClientRefused(answer)) {
      // An unknown answer does not reset the count.
      if (answer.mailbox.outcome.state !== 'unknown') this.inARow.delete(rateLimitGroup);
      return false;
    }
    const count = (this.inARow.get(rateLimitGroup) ?? 0) + 1;
    this.inARow.set(rateLimitGroup, count);
    return count >= refusalsUntilBlocked;
  }
}
