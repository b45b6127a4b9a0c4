import type { Address } from '../../model/address.js';
import type { CatchAllEvidence, MailboxEvidence, MailRoute } from '../../model/evidence.js';

/** One mailbox to ask for. */
export interface ProbeRequest {
  address: Address;
  /** Only dialable addresses; they were checked, and just these are dialled. */
  route: MailRoute;
  /** The provider's name, which selects its limits. */
  provider: string | null;
  /** Come back later where the host asks for it; false reports that at once. */
  patient?: boolean;
  /** Keep the dialogue for `--explain`. */
  keepDialogue?: boolean;
  /** The answer will take minutes: the address is greylisted and will be asked for again, after the given Unix second. */
  onDeferred?: (retryAt: number) => void;
}

export interface ProbeAnswer {
  mailbox: MailboxEvidence;
  catchAll: CatchAllEvidence;
}

/** Asks mail hosts for mailboxes with RCPT and never sends a message. Sessions, batching and limits are its secret. Never throws but when aborted. */
export interface Prober {
  probe(request: ProbeRequest, signal?: AbortSignal): Promise<ProbeAnswer>;
  close(): Promise<void>;
}
