import type { Facts, HostKnowledge } from '../host-knowledge.js';
import type { SmtpFault } from '../smtp/fault.js';
import type { TransactionSharing, TransactionState } from '../smtp/session.js';
import { HostPace } from './host-pace.js';
import type { HostTraits } from './host-traits.js';
import type { ProbeOutcome, ProbeQuestion } from './probe-task.js';

/** Domains are mixed in one transaction only after this many answers: with fewer it has no benefit. */
const answersBeforeMixing = 50;

/** What one session of a host accepts: the traits of its provider, and what was learned since. */
export class HostLimits {
  /** True after an exchange with one reply for each pipelined command (RFC 2920). */
  isPipeliningProven = false;
  /** True after silence in reply to pipelined commands, and none was answered before. */
  avoidsPipelining = false;
  /** The maximum number of recipients of a session. */
  maxRecipients: number;
  /** Refusals after which a session is ended. */
  maxRefusals: number;
  private refusesSharing = false;
  private answers = 0;
  /** Whether it accepts recipients of several domains in one transaction. */
  private mixing: 'untried' | 'unclear' | 'proven' | 'rejected' = 'untried';

  /** A known provider gets one domain per transaction: several large ones require it. */
  constructor(
    { maxRcptPerSession, maxRefusalsPerSession }: HostTraits,
    readonly pace: HostPace,
    provider: string | null = null,
  ) {
    this.maxRecipients = maxRcptPerSession;
    this.maxRefusals = maxRefusalsPerSession;
    if (provider !== null) this.mixing = 'rejected';
  }

  /** Which mailboxes may share a transaction. */
  get sharing(): TransactionSharing {
    if (this.refusesSharing) return 'none';
    const mayMix = this.mixing === 'proven' || (this.mixing === 'untried' && this.answers >= answersBeforeMixing);
    return mayMix ? 'all' : 'own_domain';
  }

  /** Records that the host refused a recipient because of others in its transaction, or because of another domain. */
  restrictSharing(preceding: TransactionState): void {
    if (preceding === 'other_domain') this.mixing = 'rejected';
    else this.refusesSharing = true;
  }

  /**
   * Records an answer; true if it is about the mailbox. A refusal after recipients of another domain counts only once the host has
   * accepted such a recipient: it may take one domain per transaction.
   */
  recordAnswer(accepted: boolean, preceding: TransactionState): boolean {
    this.answers++;
    if (preceding !== 'other_domain' || this.mixing === 'proven') return true;
    if (this.mixing !== 'rejected') this.mixing = accepted ? 'proven' : 'unclear';
    return accepted;
  }

  /** Recipients that fit in one session even if all are refused. */
  get recipientsPerSession(): number {
    return Math.max(1, Math.min(this.maxRecipients, this.maxRefusals));
  }

  /** Records that the host accepts no more than `max` recipients in a session. */
  learnRecipients(max: number): void {
    this.maxRecipients = Math.max(1, Math.min(this.maxRecipients, max));
  }

  /** Records that the host cuts a session off after `max` refusals. */
  learnRefusals(max: number): void {
    this.maxRefusals = Math.max(1, Math.min(this.maxRefusals, max));
  }
}

/** The facts that the process has about hosts, by address and port. */
export class HostFacts {
  /** Why a host is down. */
  readonly down: Facts<SmtpFault>;
  /** Hosts whose replies cannot be matched to commands. */
  readonly outOfStep: Facts<SmtpFault>;
  readonly senders: Facts<number>;
  /** The first answers for control mailboxes, by address and host. */
  readonly controls: Facts<ProbeOutcome>;
  private readonly limits: Facts<HostLimits>;

  constructor(
    private readonly knowledge: HostKnowledge,
    private readonly backoffMs: number,
  ) {
    this.down = knowledge.open('host_down');
    this.outOfStep = knowledge.open('host_out_of_step');
    this.senders = knowledge.open('accepted_sender');
    this.controls = knowledge.open('control_mailbox');
    this.limits = knowledge.open('host_limits');
  }

  /** The limits and the pace of a host; those of its traits if nothing was learned recently. */
  limitsOf(key: string, { traits, provider }: ProbeQuestion): HostLimits {
    return this.limits.getOrCreate(key, () => {
      const { maxSessions, minIntervalMs } = traits;
      const pace = new HostPace(this.knowledge.clock, { maxSessions, minIntervalMs, backoffMs: this.backoffMs });
      return new HostLimits(traits, pace, provider);
    });
  }
}
