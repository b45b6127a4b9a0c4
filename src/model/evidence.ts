import type { ParsedAddress } from './address.js';
import type { Outcome } from './outcome.js';
import type { RecordEvidence } from './record-checks/record-checks.js';

/** How deep to look. */
export type Level = 'syntax' | 'dns' | 'smtp';

/** What the bundled lists and the user's own lists say of an address. */
export interface ListFacts {
  /** The special-use name (RFC 6761 and its registry) that the domain is or lies under. */
  reserved: string | null;
  /** The list entry that matched the domain, a parent of it, or its mail server. */
  disposable: string | null;
  /** The role that the local part names, as `info`. */
  role: string | null;
  /** The domain gives mailboxes to the public. */
  free: boolean;
  /** The whole address as it was probably meant. */
  didYouMean: string | null;
}

/** One mail server of a domain, with the addresses that may be dialled. */
export interface MailHost {
  name: string;
  preference: number;
  addresses: string[];
}

/** Where mail for a domain goes. */
export interface MailRoute {
  /** By preference, then as answered. */
  hosts: MailHost[];
  /** There was no MX, so the domain itself is the host (RFC 5321 §5.1). */
  implicit: boolean;
}

/** One question to the resolver as it was asked, and what came of it, for people. */
export interface DnsLookup {
  type: 'MX' | 'A/AAAA' | 'TXT' | 'NS' | 'PTR';
  name: string;
  /** Each record as text. */
  records: string[];
  /** `found`, or why there are no records. */
  outcome: 'found' | 'nxdomain' | 'nodata' | 'timeout' | 'servfail' | 'refused' | 'malformed';
  /** Near 0 for an answer that was known already. */
  elapsedMs: number;
}

export type RouteReason =
  // Proof that the domain takes no mail.
  | 'no_dns_entries'
  | 'null_mx'
  | 'spf_denies_all_without_mx'
  | 'unroutable_ip_address'
  // No proof of anything.
  | 'dns_timeout'
  | 'dns_servfail'
  | 'dns_refused'
  | 'dns_malformed'
  | 'resolver_denies_everything'
  | 'resolver_invents_answers'
  | 'not_asked';

/** The step of the dialogue that a reply answers. */
export type SmtpStage = 'connect' | 'banner' | 'ehlo' | 'starttls' | 'mail' | 'rcpt';

/** One reply of a mail server, made safe to show. */
export interface SmtpReply {
  stage: SmtpStage;
  code: number;
  /** As `5.1.1`, or null where the host sent none. */
  enhanced: string | null;
  /** Sanitised, capped; lines joined by a space. */
  text: string;
}

export type MailboxReason =
  // The mailbox takes no mail.
  | 'mailbox_not_found'
  | 'mailbox_disabled'
  | 'does_not_accept_mail'
  | 'smtputf8_unsupported'
  | 'mailbox_quota_exceeded'
  // No proof of anything.
  | 'greylisted'
  | 'rate_limited'
  | 'mail_server_temporary_error'
  | 'antispam_system'
  | 'needs_reverse_dns'
  | 'sender_rejected'
  | 'failed_smtp_connection'
  | 'outbound_port_blocked'
  | 'timeout_exceeded'
  | 'forcible_disconnect'
  | 'mail_server_did_not_respond'
  | 'exception_occurred';

/** One line of the dialogue, for people. */
export interface DialogueLine {
  /** Milliseconds since the probe began. */
  atMs: number;
  from: 'us' | 'host' | 'note';
  text: string;
}

/** A mailbox that a host should know: postmaster (RFC 5321 §4.5.1), or one of the domain that it accepted in the same run. */
export type KnownMailbox = 'postmaster' | 'accepted_before';

/** A mailbox that the host should know, and its reply; null where none came. */
export interface KnownAnswer {
  mailbox: KnownMailbox;
  reply: SmtpReply | null;
}

/** The mailboxes asked for beside one whose answer left the cause open, and what they decide. */
export interface ControlsEvidence {
  /** The reply to a random mailbox of the domain; null where none came. */
  random: SmtpReply | null;
  /** A mailbox that the host should know; null where none was needed. */
  known: KnownAnswer | null;
  decides: 'tells_mailboxes_apart' | 'refuses_everybody' | 'minds_something_else' | 'nothing';
}

/** What asking for the mailbox gave. `passed`: RCPT was accepted. */
export interface MailboxEvidence {
  outcome: { state: 'passed'; detail: null } | { state: 'failed' | 'unknown'; reason: MailboxReason };
  host: string | null;
  ip: string | null;
  reply: SmtpReply | null;
  /** The row of the reply table that read the reply, as `enhanced:5.1.1` or `text:no_such_user`. */
  rule: string | null;
  /** How surely the rule reads this reply, 0..1. */
  certainty: number;
  /** Unix seconds after which asking again makes sense, for greylisting and rate limits. */
  retryAt: number | null;
  /** Where the reply names no cause, or that to the random mailbox does not. */
  controls?: ControlsEvidence;
  dialogue: DialogueLine[];
}

/** What asking for a random mailbox of the same domain gave. */
export interface CatchAllEvidence {
  outcome: 'accepted' | 'refused' | 'inconclusive' | 'not_run';
  /** `probe`: we asked; `provider`: the provider is known to accept every recipient. */
  source: 'probe' | 'provider' | null;
  reply: SmtpReply | null;
  /** It was refused in words that do not say that it is missing. */
  vague?: true;
  /** Why nothing could be concluded, where that is so. */
  reason?: MailboxReason;
}

/** How likely the local part is one that people use, and not machine-made, by the bundled model. */
export interface PlausibilityEvidence {
  /** 0..1 */
  score: number;
  /** Name and version of the model. */
  model: string;
}

/** What the model's score says of a name; in between it says nothing. */
export function nameKind({ score }: PlausibilityEvidence): 'personal' | 'machine_made' | 'unclear' {
  if (score >= 0.7) return 'personal';
  return score <= 0.3 ? 'machine_made' : 'unclear';
}

/** Milliseconds each step took; absent where it did not run. */
interface Timings {
  dns?: number;
  smtp?: number;
}

/** All that was gathered about one address. Checks fill it in; only `judge` judges it. `null` means not checked. */
export interface Evidence extends RecordEvidence {
  input: string;
  level: Level;
  syntax: ParsedAddress;
  lists: ListFacts | null;
  route: Outcome<MailRoute, RouteReason>;
  provider: string | null;
  mailbox: MailboxEvidence | null;
  catchAll: CatchAllEvidence;
  plausibility: PlausibilityEvidence | null;
  timings: Timings;
  /** What DNS was asked; only where the caller wants to see it. */
  lookups?: DnsLookup[];
}
