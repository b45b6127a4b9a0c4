import type { Level } from '../model/evidence.js';
import type { PortFinding } from '../net/pool/port25-status.js';

/** What a run found out about the network it runs on. */
export type EngineNote =
  | 'resolver_denies_everything'
  | 'resolver_invents_answers'
  | 'resolver_does_not_answer'
  | 'outbound_port_blocked'
  | 'waiting_for_greylists';

/** How the engine asks the network. */
interface NetworkOptions {
  /** DNS servers instead of the system's: `HOST`, `HOST:PORT` or `[IPv6]:PORT`. */
  resolvers?: readonly string[];
  /** Longest wait for one address. */
  timeoutMs?: number;
  /** SMTP sessions at a time, over all hosts. */
  concurrency?: number | null;
  ehloName?: string | null;
  /** Sender to give to mail servers; `<>` is the null sender. */
  mailFrom?: string | null;
  smtpPort?: number;
  /** Speak TLS with mail servers where they offer it, unless told otherwise, or only where they require it. */
  tls?: 'offered' | 'required';
  /** `socks5://[user:password@]host[:port]`, to reach mail servers through. */
  proxy?: string | null;
  /** Address of this machine to reach mail servers from; hosts of the other family are not asked. */
  sourceIp?: string | null;
  /** Blocks such as `10.0.0.0/8` whose mail servers count as routable. */
  allowNetworks?: readonly string[];
  /** Weigh how plausible a local part is where nothing better is known. */
  ai?: boolean;
  /** File of own rules for reading the replies of mail servers. */
  replyRules?: string | null;
  /** How long to come back to hosts that say "try later"; 0 reports at once. By default a list waits 20 minutes, one address not at all. */
  greylistWaitMs?: number | null;
}

/** How the engine looks at addresses. All of it has defaults. */
export interface EngineOptions extends NetworkOptions {
  /** How deep to look; `smtp` unless told otherwise. */
  level?: Level;
  /** File of domains and addresses that never count as disposable, role or typo. */
  allowList?: string | null;
  /** File of domains and addresses that count as disposable. */
  denyList?: string | null;
  /** `subject` says whom the note is about, where that is not the network as a whole. */
  onNote?: (note: EngineNote, subject?: string) => void;
  portMemory?: PortFinding | null;
  /** What the names of random mailboxes are made from; one that lasts lets greylists know them again. */
  mailboxSecret?: (() => Uint8Array) | null;
}
