import type { Caller } from '../async/caller.js';
import type { LearnedEvidence, Level } from '../model/evidence.js';
import type { HostPermits } from '../net/pool/host-permits.js';
import type { PortFinding } from '../net/port-finding.js';

/** Findings about the network of this machine. */
export type EngineNote =
  | 'resolver_denies_everything'
  | 'resolver_invents_answers'
  | 'resolver_does_not_answer'
  | 'outbound_port_blocked'
  | 'waiting_for_greylists'
  | 'wait_too_short';

interface NetworkOptions {
  /** DNS servers instead of the system's: `HOST`, `HOST:PORT` or `[IPv6]:PORT`. */
  resolvers?: readonly string[];
  /** Time limit for one address. */
  timeoutMs?: number;
  /** Concurrent SMTP sessions over all hosts. */
  concurrency?: number | null;
  ehloName?: string | null;
  /** Envelope sender; `<>` is the null sender. */
  mailFrom?: string | null;
  smtpPort?: number;
  /** Use TLS when a mail server offers it (default), or only when it requires it. */
  tls?: 'offered' | 'required';
  /** SOCKS proxies for mail servers, comma-separated: `socks5://[user:password@]host[:port]`. */
  proxy?: string | null;
  /** Local source addresses, comma-separated; mail servers of another address family are not probed. */
  sourceIp?: string | null;
  /** CIDR blocks whose mail servers count as routable. */
  allowNetworks?: readonly string[];
  /** Use the plausibility model when the mailbox is not proven. */
  ai?: boolean;
  /** File of additional rules for SMTP replies. */
  replyRules?: string | null;
  /** How long a list retries greylisting hosts, by default 20 minutes; 0 reports at once, as for one address. */
  greylistWaitMs?: number | null;
}

/** Options of the engine; all have defaults. */
export interface EngineOptions extends NetworkOptions {
  level?: Level;
  /** File of domains and addresses that never count as disposable, role or typo. */
  allowList?: string | null;
  /** File of domains and addresses that count as disposable. */
  denyList?: string | null;
  /** Folder of lists that `lists update` installed. */
  listsFolder?: string | null;
  /** `subject`: the resolver or host concerned. */
  onNote?: (note: EngineNote, subject?: string) => void;
  /** Called with internal exceptions; the addresses concerned are `exception_occurred`. */
  onException?: (error: unknown) => void;
  portMemory?: PortFinding | null;
  /** What our own mail showed of an address that is not decided. */
  learnedOf?: ((email: string, caller?: Caller) => Promise<LearnedEvidence>) | null;
  /** True if several users share this engine. */
  isShared?: boolean;
  /** Key for the names of random mailboxes. A persistent key lets greylisting hosts recognize them. */
  mailboxSecret?: (() => Uint8Array) | null;
  /** Set if other machines ask the same mail hosts. */
  permits?: HostPermits | null;
  /** False while another process of this machine asks mail hosts. */
  isAlone?: () => boolean;
}
