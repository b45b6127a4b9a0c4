import type { Caller } from '../../async/caller.js';
import type { Address } from '../../model/address.js';
import type { CatchAllEvidence, MailboxEvidence, MailRoute } from '../../model/evidence.js';
import type { HostScheduler } from '../pool/host-scheduler.js';

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

/** Probes mailboxes with RCPT and never sends a message. Sessions, batching and limits are internal. Throws only when aborted. */
export interface Prober {
  probe(request: ProbeRequest, caller?: Caller): Promise<ProbeAnswer>;
  stats?(): ReturnType<HostScheduler['stats']>;
  close(): Promise<void>;
}
