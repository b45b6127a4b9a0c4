import type { MailboxReason } from '../../model/evidence.js';
import type { PhraseMatch } from './match-phrase.js';
import type { PatternGroup } from './pattern-groups.js';

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

/** What each group of phrases means in a refusal, unless a rule says otherwise. */
const meanings: Record<PatternGroup, { reason: ReadingReason; certainty: number }> = {
  block_list: { reason: 'antispam_system', certainty: 0.95 },
  reverse_dns: { reason: 'needs_reverse_dns', certainty: 0.95 },
  client_ip: { reason: 'antispam_system', certainty: 0.9 },
  greylist: { reason: 'greylisted', certainty: 0.95 },
  temporary: { reason: 'mail_server_temporary_error', certainty: 0.9 },
  // The recipient exists, and takes mail of its own organization only.
  restricted: { reason: 'restricted_recipient', certainty: 0.9 },
  relay: { reason: 'antispam_system', certainty: 0.9 },
  sender: { reason: 'sender_rejected', certainty: 0.9 },
  filter: { reason: 'antispam_system', certainty: 0.85 },
  session_limit: { reason: 'session_limit', certainty: 0.9 },
  mailbox_busy: { reason: 'accepted', certainty: 0.9 },
  // `may not exist, or be full`: the host does not say which.
  hedged: { reason: 'antispam_system', certainty: 0.4 },
  overfull: { reason: 'mailbox_quota_exceeded', certainty: 0.9 },
  rate: { reason: 'rate_limited', certainty: 0.9 },
  quota: { reason: 'mailbox_quota_exceeded', certainty: explicitCertainty },
  unknown_client: { reason: 'antispam_system', certainty: 0.8 },
  disabled: { reason: 'mailbox_disabled', certainty: explicitCertainty },
  no_such_user: { reason: 'mailbox_not_found', certainty: explicitCertainty },
  come_back: { reason: 'greylisted', certainty: 0.8 },
  policy: { reason: 'antispam_system', certainty: 0.7 },
  // RFC 5321 §4.2.3 gives 550 this text for every cause.
  unavailable: { reason: 'antispam_system', certainty: 0.4 },
  unexplained: { reason: 'antispam_system', certainty: 0.4 },
  takes_no_mail: { reason: 'antispam_system', certainty: 0.4 },
  // They name something other than the mailbox, mostly the client.
  other_cause: { reason: 'antispam_system', certainty: 0.5 },
  refusal: { reason: 'antispam_system', certainty: 0.4 },
};

/** The meaning of the matched phrase; a rule calls it only if a phrase matched. */
export function byText(match: PhraseMatch): Reading {
  const { group } = requireMatch(match);
  const { reason, certainty } = meanings[group];
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
