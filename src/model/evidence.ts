import type { ParsedAddress } from './address.js';
import { Failure } from './failure.js';
import type { Outcome } from './outcome.js';
import type { RecordEvidence } from './record-checks/record-checks.js';

export const levels = ['syntax', 'dns', 'smtp'] as const;
export type Level = (typeof levels)[number];

/** A level that a caller asked for, at most `most`. A mistyped one must not ask more hosts than the caller wants. */
export function levelWithin(most: Level, requested: Level = most): Level {
  if (!levels.includes(requested)) {
    throw new Failure('usage', `There is no level "${requested}".`, { hint: `Use one of: ${levels.join(', ')}.` });
  }
  return levels.indexOf(requested) < levels.indexOf(most) ? requested : most;
}

/** What the bundled and the user's lists say about an address. */
export interface ListFacts {
  /** The special-use name (RFC 6761) that covers the domain. */
  reserved: string | null;
  /** The list entry that matched the domain, a parent of it, or its mail server. */
  disposable: string | null;
  /** How many disposable domains share the mail server; null if the domain is listed for another reason, or not at all. */
  disposableNeighbors: number | null;
  /** The role that the local part names, such as `info`. */
  role: string | null;
  /** The name, if it may be a role or a person's own, such as `hello`. */
  possibleRole: string | null;
  /** The domain is a free mail provider. */
  free: boolean;
  /** The domain's addresses forward to another mailbox of their owner, which they hide. */
  relay: boolean;
  /** The corrected address. */
  didYouMean: string | null;
  /** The top-level domain is not in the root zone, and no typo of a known one. */
  unknownTld: boolean;
}

/** A mail server of a domain, with its usable IP addresses. */
export interface MailHost {
  name: string;
  preference: number;
  addresses: string[];
}

export interface MailRoute {
  /** Ordered by preference. */
  hosts: MailHost[];
  /** No MX: the domain itself is the host (RFC 5321 §5.1). */
  implicit: boolean;
}

/** A DNS query and its answer, for display. */
export interface DnsLookup {
  type: 'MX' | 'A/AAAA' | 'TXT' | 'NS' | 'PTR';
  name: string;
  records: string[];
  /** `found`, or why there are no records. */
  outcome: 'found' | 'nxdomain' | 'nodata' | 'timeout' | 'servfail' | 'refused' | 'malformed';
  /** Near 0 for a cached answer. */
  elapsedMs: number;
}

export type RouteReason =
  // Proof that the domain takes no mail.
  | 'no_dns_entries'
  | 'null_mx'
  | 'unroutable_ip_address'
  // No proof of anything.
  | 'dns_timeout'
  | 'dns_servfail'
  | 'dns_refused'
  | 'dns_malformed'
  | 'resolver_denies_everything'
  | 'resolver_invents_answers'
  | 'resolver_not_confirmed'
  | 'not_asked';

/** The SMTP step that a reply answers. */
export type SmtpStage = 'connect' | 'banner' | 'ehlo' | 'starttls' | 'mail' | 'rcpt';

/** An SMTP reply, safe to display. */
export interface SmtpReply {
  stage: SmtpStage;
  code: number;
  /** For example `5.1.1`; null if there is none. */
  enhanced: string | null;
  /** Sanitized and truncated; lines joined by spaces. */
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
  | 'restricted_recipient'
  | 'needs_reverse_dns'
  | 'sender_rejected'
  | 'failed_smtp_connection'
  | 'outbound_port_blocked'
  | 'timeout_exceeded'
  | 'forcible_disconnect'
  | 'mail_server_did_not_respond'
  | 'exception_occurred';

/** One line of the SMTP dialogue. */
export interface DialogueLine {
  /** Milliseconds since the start of the probe. */
  atMs: number;
  from: 'us' | 'host' | 'note';
  text: string;
}

/** A mailbox that should exist: postmaster (RFC 5321 §4.5.1), or one accepted earlier in the run. */
export type KnownMailbox = 'postmaster' | 'accepted_before';

/** The reply for a mailbox that should exist; null if none came. */
export interface KnownAnswer {
  mailbox: KnownMailbox;
  reply: SmtpReply | null;
}

/** Control mailboxes, probed after an ambiguous reply, and what they decide. */
export interface ControlsEvidence {
  /** The reply for a random mailbox; null if none came. */
  random: SmtpReply | null;
  /** Null if it was not needed. */
  known: KnownAnswer | null;
  decides: 'tells_mailboxes_apart' | 'refuses_everybody' | 'minds_something_else' | 'nothing';
}

/** The result of the probe. `passed`: RCPT was accepted. */
export interface MailboxEvidence {
  outcome: { state: 'passed'; detail: null } | { state: 'failed' | 'unknown'; reason: MailboxReason };
  host: string | null;
  ip: string | null;
  reply: SmtpReply | null;
  /** The rule that classified the reply, for example `enhanced:5.1.1` or `text:no_such_user`. */
  rule: string | null;
  /** The certainty of the rule, 0..1. */
  certainty: number;
  /** Earliest retry in Unix seconds, for greylisting and rate limits. */
  retryAt: number | null;
  /** True if the answer was cached and the host was not asked again. */
  cached?: true;
  /** Present if a reply was ambiguous. */
  controls?: ControlsEvidence;
  dialogue: DialogueLine[];
}

/** The result of the probe for a random mailbox of the domain. */
export interface CatchAllEvidence {
  outcome: 'accepted' | 'refused' | 'inconclusive' | 'not_run';
  /** `provider`: the provider is known to accept every recipient. */
  source: 'probe' | 'provider' | null;
  reply: SmtpReply | null;
  /** Refused, but the reply does not say that the mailbox does not exist. */
  vague?: true;
  /** The answer for a random mailbox of the address's shape, after one of another shape was refused. Accepted: the host decides by pattern. */
  shaped?: 'accepted' | 'refused' | 'unknown';
  /** Why the result is inconclusive. */
  reason?: MailboxReason;
}

/** How likely the local part was chosen by people, not machines, by the bundled model. */
export interface PlausibilityEvidence {
  /** 0..1 */
  score: number;
  /** Name and version of the model. */
  model: string;
}

/** What the score says about the local part. */
export function nameKind({ score }: PlausibilityEvidence): 'personal' | 'machine_made' | 'unclear' {
  if (score >= 0.7) return 'personal';
  return score <= 0.3 ? 'machine_made' : 'unclear';
}

/** Days without a bounce after which a delivery proves a mailbox, and days for which it does. */
export const deliveryDays = { silent: 3, valid: 180 };

/** When mail of our own was delivered to the mailbox; days in ISO 8601. */
export interface OwnDelivery {
  /** Null: nothing was delivered since the last hard bounce. */
  first: string | null;
  last: string | null;
  bounced: string | null;
  daysSinceFirst: number;
  daysSinceLast: number;
  /** Of all mailboxes: how many took mail, and how many of them bounced after the silent days. */
  accepted: number;
  late: number;
}

/** What mail logs and bounces of our own mail showed of an address and its domain. */
export interface LearnedEvidence {
  /** The mailed addresses of the domain, and those of them without a bounce. */
  deliveries?: { delivered: number; mailed: number };
  delivery?: OwnDelivery;
}

/** Milliseconds per step; absent if it did not run. */
interface Timings {
  dns?: number;
  smtp?: number;
}

/** All facts about one address. Checks fill it in; only `judge` evaluates it. `null`: not checked. */
export interface Evidence extends RecordEvidence, LearnedEvidence {
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
  /** True if the caller's time limit was reached before the checks had finished. */
  failOpen?: true;
  /** DNS queries; only on request. */
  lookups?: DnsLookup[];
}

/** The evidence of a result, which has the time of a retry in `retry_at`. */
export type ResultEvidence = Omit<Evidence, 'mailbox'> & { mailbox: Omit<MailboxEvidence, 'retryAt'> | null };
