import type { HostTraits } from './host-traits.js';

/** How much of us one session of a host takes: what is known of its provider, and what it has shown since. */
export class HostLimits {
  private recipients: number;
  private refusals: number;
  private sharing = true;

  constructor({ maxRcptPerSession, maxRefusalsPerSession }: HostTraits) {
    this.recipients = maxRcptPerSession;
    this.refusals = maxRefusalsPerSession;
  }

  /** Mailboxes that a session may be asked for. */
  get maxRecipients(): number {
    return this.recipients;
  }

  /** Refusals after which a session is left. */
  get maxRefusals(): number {
    return this.refusals;
  }

  /** Mailboxes of a domain may share a transaction. */
  get together(): boolean {
    return this.sharing;
  }

  /** The host minds several mailboxes in a transaction, as some do for bounces. */
  askApart(): void {
    this.sharing = false;
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
