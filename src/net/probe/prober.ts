import type { Caller } from '../../async/caller.js';
import type { Address } from '../../model/address.js';
import type { CatchAllEvidence, MailboxEvidence, MailRoute } from '../../model/evidence.js';

/** One mailbox to ask for. */
export interface ProbeRequest {
  address: Address;
  /** The checked addresses: no others are dialed. */
  route: MailRoute;
  /** The provider, which selects the limits. */
  provider: string | null;
  /** One of many: the host may take longer for its reply. */
  isOfList?: boolean;
  /** Keep the dialogue for `--explain`. */
  keepDialogue?: boolean;
}

export interface ProbeAnswer {
  mailbox: MailboxEvidence;
  catchAll: CatchAllEvidence;
}

type ProberCount = 'queues' | 'exceptions' | 'permits' | 'asked';

/** Probes mailboxes with RCPT and never sends a message. Sessions, batching and limits are internal. Throws only when aborted. */
export interface Prober {
  probe(request: ProbeRequest, caller?: Caller): Promise<ProbeAnswer>;
  /** As `HostScheduler` has them, whose types are not published. */
  stats?(): { hosts: Record<'connected' | 'waiting' | 'down', number> } & Record<ProberCount, number>;
  close(): Promise<void>;
}
