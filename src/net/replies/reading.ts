import type { MailboxReason, SmtpReply } from '../../model/evidence.js';
import type { PatternGroup } from './pattern-groups.js';
import type { PhraseMatch } from './rules.js';

/** What a reply can mean: `session_limit` asks for a fresh session, `cannot_verify` is an acceptance that proves nothing. */
export type ReadingReason =
  | 'accepted'
  | 'cannot_verify'
  | 'session_limit'
  | Exclude<MailboxReason, 'outbound_port_blocked'>;

/** A reply, read. */
export interface Reading {
  reason: ReadingReason;
  /** The row that read it, as `enhanced:5.1.1`, `text:no_such_user` or `basic:550`. */
  rule: string;
  /** The words of the table that it was read by, where words decided. */
  phrase: string | null;
  /** 0..1 */
  certainty: number;
  /** Seconds after which asking again makes sense, where it does. */
  retryAfterSeconds: number | null;
  /** The refusal names no cause: only how the host answers the two controls can tell, so ask for them and read again. */
  vague: boolean;
  /** It may be about who asks or about this one session, so that a fresh session may hear otherwise. */
  mayBlameSession: boolean;
}

/** What each group of phrases means in a refusal; where the enhanced code or the class forbids it, the callers say so. */
const meanings: Record<PatternGroup, { reason: ReadingReason; certainty: number }> = {
  block_list: { reason: 'antispam_system', certainty: 0.95 },
  reverse_dns: { reason: 'needs_reverse_dns', certainty: 0.95 },
  client_ip: { reason: 'antispam_system', certainty: 0.9 },
  greylist: { reason: 'greylisted', certainty: 0.95 },
  temporary: { reason: 'mail_server_temporary_error', certainty: 0.9 },
  relay: { reason: 'antispam_system', certainty: 0.9 },
  sender: { reason: 'sender_rejected', certainty: 0.9 },
  filter: { reason: 'antispam_system', certainty: 0.85 },
  session_limit: { reason: 'session_limit', certainty: 0.9 },
  mailbox_busy: { reason: 'accepted', certainty: 0.9 },
  // "May not exist, or be full": the host does not say which.
  hedged: { reason: 'antispam_system', certainty: 0.4 },
  overfull: { reason: 'mailbox_quota_exceeded', certainty: 0.9 },
  rate: { reason: 'rate_limited', certainty: 0.9 },
  quota: { reason: 'mailbox_quota_exceeded', certainty: 0.95 },
  unknown_client: { reason: 'antispam_system', certainty: 0.8 },
  disabled: { reason: 'mailbox_disabled', certainty: 0.9 },
  no_such_user: { reason: 'mailbox_not_found', certainty: 0.95 },
  // What else a reply says is its cause, where it says it.
  come_back: { reason: 'greylisted', certainty: 0.8 },
  policy: { reason: 'antispam_system', certainty: 0.7 },
  // RFC 5321 §4.2.3 words 550 so for every cause, and some hosts leave it at that: as good as no word.
  unavailable: { reason: 'antispam_system', certainty: 0.4 },
  unexplained: { reason: 'antispam_system', certainty: 0.4 },
  takes_no_mail: { reason: 'antispam_system', certainty: 0.4 },
  // They name something else than a mailbox, most of all us.
  other_cause: { reason: 'antispam_system', certainty: 0.5 },
  refusal: { reason: 'antispam_system', certainty: 0.4 },
};

/** As the words say. */
export function byText(said: NonNullable<PhraseMatch>): Reading {
  const { reason, certainty } = meanings[said.group];
  const read = byWords(said, reason, certainty);
  // That a domain is not served here is true in every session.
  return said.group === 'relay' ? { ...read, mayBlameSession: false } : read;
}

/** By the words, but not as they say. */
export function byWords(said: NonNullable<PhraseMatch>, reason: ReadingReason, certainty: number): Reading {
  return { ...reading(reason, `${said.own ? 'own' : 'text'}:${said.group}`, certainty), phrase: said.phrase };
}

/** As the enhanced code says. */
export function byEnhanced(reply: SmtpReply, reason: ReadingReason, certainty: number): Reading {
  return reading(reason, `enhanced:${reply.enhanced}`, certainty);
}

/** A reading that is final, and tells nothing of when to come back. */
export function reading(reason: ReadingReason, rule: string, certainty: number): Reading {
  const mayBlameSession = reason === 'rate_limited' || reason === 'antispam_system';
  return { reason, rule, phrase: null, certainty, retryAfterSeconds: null, vague: false, mayBlameSession };
}
