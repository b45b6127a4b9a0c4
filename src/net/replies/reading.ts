import type { KnownAnswer, MailboxReason, SmtpReply } from '../../model/evidence.js';
import type { Echo } from './strip-echoes.js';

/** What a reply can mean. `session_limit` needs a fresh session; `cannot_verify` is an acceptance that proves nothing. */
export type ReadingReason =
  | 'accepted'
  | 'cannot_verify'
  | 'session_limit'
  | Exclude<MailboxReason, 'outbound_port_blocked'>;

/** The meaning of a reply. */
export interface Reading {
  reason: ReadingReason;
  /** What decided: `enhanced:5.1.1`, `text:no_such_user`, `basic:550`, `stage:mail`. */
  rule: string;
  /** The name of the rule that decided. */
  decidedBy: string;
  /** The phrase of the table, if words decided. */
  phrase: string | null;
  /** From 0 to 1. */
  certainty: number;
  /** Seconds after which a retry makes sense, if it does. */
  retryAfterSeconds: number | null;
  /** The refusal names no cause: ask for the control mailboxes and read again. */
  vague: boolean;
  /** It may be about the client or this session: a fresh session may get another answer. */
  mayBlameSession: boolean;
  /** A 4xx in plain words of a missing mailbox: enough for a control, not for a verdict. */
  saysAbsent?: true;
}

/** What a reply of a certain provider means. */
export interface ProviderReplyRule {
  /** The whole enhanced code, if only that counts. */
  enhanced?: string;
  /** Words of the reply. */
  words: string;
  means: ReadingReason;
}

/** The share of explicit replies about a mailbox that were read right; measured in test/fixtures/replies/README.md. */
export const explicitCertainty = 0.98;

/** What the phrases of a group are about, and what they mean in a refusal unless a rule says otherwise. */
type GroupMeaning = readonly ['client' | 'mailbox' | 'host' | 'unclear', ReadingReason, certainty: number];

/** Groups of phrases in refusals, in the order in which they are searched. */
const groups = {
  block_list: ['client', 'antispam_system', 0.95],
  reverse_dns: ['client', 'needs_reverse_dns', 0.95],
  client_ip: ['client', 'antispam_system', 0.9],
  greylist: ['client', 'greylisted', 0.95],
  temporary: ['host', 'mail_server_temporary_error', 0.9],
  // The recipient exists, and takes mail of its own organization only.
  restricted: ['client', 'restricted_recipient', 0.9],
  relay: ['client', 'antispam_system', 0.9],
  sender: ['client', 'sender_rejected', 0.9],
  filter: ['client', 'antispam_system', 0.85],
  session_limit: ['client', 'session_limit', 0.9],
  mailbox_busy: ['mailbox', 'accepted', 0.9],
  // `may not exist, or be full`: the host does not say which.
  hedged: ['unclear', 'antispam_system', 0.4],
  overfull: ['mailbox', 'mailbox_quota_exceeded', 0.9],
  rate: ['client', 'rate_limited', 0.9],
  quota: ['mailbox', 'mailbox_quota_exceeded', explicitCertainty],
  come_back: ['client', 'greylisted', 0.8],
  unknown_client: ['client', 'antispam_system', 0.8],
  disabled: ['mailbox', 'mailbox_disabled', explicitCertainty],
  no_such_user: ['mailbox', 'mailbox_not_found', explicitCertainty],
  policy: ['unclear', 'antispam_system', 0.7],
  takes_no_mail: ['unclear', 'antispam_system', 0.4],
  // RFC 5321 §4.2.3 gives 550 this text for every cause.
  unavailable: ['unclear', 'antispam_system', 0.4],
  unexplained: ['unclear', 'antispam_system', 0.4],
  // They name something other than the mailbox, mostly the client.
  other_cause: ['unclear', 'antispam_system', 0.5],
  refusal: ['unclear', 'antispam_system', 0.4],
} as const satisfies Record<string, GroupMeaning>;

export type PatternGroup = keyof typeof groups;
export const patternGroups = Object.keys(groups) as PatternGroup[];

/** Groups that name the recipient or its domain, but no cause. */
export const groupsWithoutCause: readonly PatternGroup[] = ['hedged', 'unavailable', 'unexplained', 'takes_no_mail'];

export function isAbout(what: GroupMeaning[0], group: PatternGroup): boolean {
  return groups[group][0] === what;
}

export function groupsAbout(what: GroupMeaning[0]): readonly PatternGroup[] {
  return patternGroups.filter((group) => isAbout(what, group));
}

/** A rule of the user: replies to RCPT with the phrase belong to the group. */
export interface UserRule {
  group: PatternGroup;
  phrase: string;
}

/** The phrase in a reply, its group, and whether a rule of the user matched. */
export type PhraseMatch = (UserRule & { isUserRule: boolean }) | null;

export interface ReadingContext extends Echo {
  /** The reply for a random mailbox of the same domain, if it was asked. */
  random?: SmtpReply | null;
  /** A mailbox that the host should know, postmaster or one that it accepted, and its reply. */
  knownMailbox?: KnownAnswer | null;
  /** True if this mailbox was not probed at this host before. */
  firstContact?: boolean;
  extraRules?: readonly UserRule[];
  /** Rules for the provider of the mail host. */
  providerRules?: readonly ProviderReplyRule[];
}

/** The properties of a reply that rules test. */
export interface ReplyFacts {
  reply: SmtpReply;
  /** The enhanced code without its class: `1.1` of `5.1.1`, or empty. */
  detail: string;
  match: PhraseMatch;
  group: PatternGroup | null;
  /** The text without echoed addresses and names. */
  bare: string;
  context: ReadingContext;
  /** The reading of another reply of the host, without controls. */
  readWithoutControls(other: SmtpReply): Reading;
}

/** The meaning of the matched phrase; a rule calls it only if a phrase matched. */
export function byText(match: PhraseMatch): Reading {
  const { group } = requireMatch(match);
  const [, reason, certainty] = groups[group];
  const read = byWords(match, reason, certainty);
  // Whether a domain is served does not depend on the session.
  return group === 'relay' ? { ...read, mayBlameSession: false } : read;
}

/** Another meaning for the matched phrase. */
export function byWords(match: PhraseMatch, reason: ReadingReason, certainty: number): Reading {
  const { isUserRule, group, phrase } = requireMatch(match);
  return { ...reading(reason, `${isUserRule ? 'own' : 'text'}:${group}`, certainty), phrase };
}

function requireMatch(match: PhraseMatch): NonNullable<PhraseMatch> {
  if (match === null) throw new Error('A rule read words where no phrase matched.');
  return match;
}

/** A final reading without a retry time. */
export function reading(reason: ReadingReason, rule: string, certainty: number): Reading {
  const mayBlameSession = reason === 'rate_limited' || reason === 'antispam_system';
  return {
    reason,
    rule,
    decidedBy: rule,
    phrase: null,
    certainty,
    retryAfterSeconds: null,
    vague: false,
    mayBlameSession,
  };
}
