import type { TransactionSharing, TransactionState } from '../smtp/session.js';
import type { HostTraits } from './host-traits.js';

/** A host that is asked for few gains nothing by it. */
const answersBeforeMixing = 50;

/** How much of us one session of a host takes: what is known of its provider, and what it has shown since. */
export class HostLimits {
  private recipients: number;
  private refusals: number;
  private separately = false;
  private answers = 0;
  /** How it takes mailboxes of several domains in a transaction. */
  private mixing: 'untried' | 'doubtful' | 'proven' | 'minded' = 'untried';

  /** A provider that is known is asked for one domain at a time: several of the large ones insist. */
  constructor({ maxRcptPerSession, maxRefusalsPerSession }: HostTraits, provider: string | null = null) {
    this.recipients = maxRcptPerSession;
    this.refusals = maxRefusalsPerSession;
    if (provider !== null) this.mixing = 'minded';
  }

  /** Mailboxes that a session may be asked for. */
  get maxRecipients(): number {
    return this.recipients;
  }

  /** Refusals after which a session is left. */
  get maxRefusals(): number {
    return this.refusals;
  }

  /** Which mailboxes may caller a transaction. */
  get sharing(): TransactionSharing {
    if (this.separately) return 'none';
    const mayMix = this.mixing === 'proven' || (this.mixing === 'untried' && this.answers >= answersBeforeMixing);
    return mayMix ? 'all' : 'own_domain';
  }

  /** The host minds several mailboxes in a transaction, as some do for bounces, or several domains. */
  separate(before: TransactionState): void {
    if (before === 'other_domain') this.mixing = 'minded';
    else this.separately = true;
  }

  /**
   * Whether its answer is one for the mailbox. A refusal behind mailboxes of another domain counts only once the host has accepted one
   * there: it may serve one domain a transaction.
   */
  isReliable(accepted: boolean, before: TransactionState): boolean {
    this.answers++;
    if (before !== 'other_domain' || this.mixing === 'proven') return true;
    if (this.mixing !== 'minded') this.mixing = accepted ? 'proven' : 'doubtful';
    return accepted;
  }

  /** Mailboxes that are sure to fit in one session, though all may be refused. */
  get perSession(): number {
    return Math.max(1, Math.min(this.recipients, this.refusals));
  }

  /** The host takes no more than so many recipients in a session. */
  learnRecipients(most: number): void {
    this.recipients = Math.max(1, Math.min(this.recipients, most));
  }

  /** The host turns on a session after so many refusals. */
  learnRefusals(most: number): void {
    this.refusals = Math.max(1, Math.min(this.refusals, most));
  }
}
