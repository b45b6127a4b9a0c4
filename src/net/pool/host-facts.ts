import type { Facts, HostKnowledge } from '../host-knowledge.js';
import type { SmtpFault } from '../smtp/fault.js';
import { HostLimits } from './host-limits.js';
import { HostPace } from './host-pace.js';
import { maxSessionsPerHost } from './host-traits.js';
import type { ProbeOutcome, ProbeQuestion } from './probe-task.js';

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
      const maxSessions = Math.min(traits.maxSessions, maxSessionsPerHost);
      const { minIntervalMs } = traits;
      const pace = new HostPace(this.knowledge.clock, { maxSessions, minIntervalMs, backoffMs: this.backoffMs });
      return new HostLimits(traits, pace, provider);
    });
  }
}
