import type { SmtpReply } from '../../model/evidence.js';
import { agreesOnNoMail } from './agreement.js';
import { clientGroups, mailboxGroups } from './pattern-groups.js';
import { byEnhanced, byText, type Reading, reading } from './reading.js';
import type { PhraseMatch } from './rules.js';

// RFC 3463 §3.2 (bad sender), RFC 7372 (authentication of the sender), RFC 7505 §4.2 (sender with a null MX).
export const senderDetails = new Set(['1.7', '1.8', '7.20', '7.21', '7.22', '7.23', '7.24', '7.26', '7.27']);

const notFoundDetails: Record<string, number> = { '1.0': 0.9, '1.1': 0.98, '1.2': 0.85, '1.3': 0.85, '1.6': 0.95 };

const accessDenied = /access denied/i;

/** What the enhanced code of a refusal at RCPT says, with the words that may overrule it; null where it leaves it to the words. */
export function readEnhanced(
  reply: SmtpReply,
  detail: string,
  { said, bare, probed }: { said: PhraseMatch; bare: string; probed: string },
): Reading | null {
  const group = said?.group;
  const blamed = isAboutClientCode(said);
  // RFC 7504 §3: 521 refuses all mail, whatever stands beside it.
  const ofAll = reply.code === 521 && (said === null || !mailboxGroups.includes(said.group));
  if (ofAll && /^(?:1\.[01]|2\.)/.test(detail))
    return said === null ? reading('antispam_system', 'basic:521', 0.7) : byText(said);
  const notFound = notFoundDetails[detail];
  if (notFound !== undefined) {
    if (said !== null && (blamed || ['overfull', 'quota', 'disabled'].includes(said.group))) return byText(said);
    // Postfix turns the 5.1.10 of an access map into 5.1.0; RFC 7504 §5: 556 speaks of the domain.
    if (reply.code === 556 && takesNoMail(reply, said, bare)) return reading('does_not_accept_mail', 'basic:556', 0.95);
    if (said !== null && group === 'policy') return byText(said);
    if (isTransient(reply, said)) return byEnhanced(reply, 'mail_server_temporary_error', 0.6);
    return byEnhanced(reply, 'mailbox_not_found', notFound);
  }
  switch (detail) {
    case '1.10':
      // RFC 7505 means the domain; Exchange Online says it of one mailbox: `550 5.1.10 RESOLVER.ADR.RecipientNotFound`.
      if (said !== null && group === 'no_such_user') return byText(said);
      if (namesOurDomain(reply)) return byEnhanced(reply, 'sender_rejected', 0.8);
      return agreesOnNoMail(reply, bare) ? byEnhanced(reply, 'does_not_accept_mail', 0.97) : null;
    case '2.1':
      if (said !== null && (blamed || group === 'policy')) return byText(said);
      if (said !== null && group !== 'disabled' && mailboxGroups.includes(said.group)) return byText(said);
      if (isTransient(reply, said)) return byEnhanced(reply, 'mail_server_temporary_error', 0.6);
      // `550 5.2.1 Service unavailable, [example.com] does not accept email over IPv6`: Exchange Online means us.
      if (group === 'other_cause') return null;
      return byEnhanced(reply, 'mailbox_disabled', 0.95);
    case '2.2':
      if (said !== null && (blamed || group === 'policy')) return byText(said);
      return byEnhanced(reply, 'mailbox_quota_exceeded', 0.95);
    case '4.1':
      // Exchange Online's directory-based edge blocking: `550 5.4.1 Recipient address rejected: Access denied`.
      if (accessDenied.test(reply.text) && !blamed) return byEnhanced(reply, 'mailbox_not_found', 0.95);
      return null;
    case '5.3':
      // chkuser signs its refusal to relay with #5.5.3.
      if (said !== null && blamed) return byText(said);
      return byEnhanced(reply, 'session_limit', 0.95);
    case '6.7':
      // An ASCII address needs no SMTPUTF8, whatever the host thinks.
      return byEnhanced(reply, /[^ -~]/.test(probed) ? 'smtputf8_unsupported' : 'exception_occurred', 0.95);
    case '7.25':
      return byEnhanced(reply, 'needs_reverse_dns', 0.95);
    case '7.28':
      return byEnhanced(reply, 'rate_limited', 0.9);
  }
  if (senderDetails.has(detail)) return byEnhanced(reply, 'sender_rejected', 0.95);
  // `5.3.0` is sendmail's "other": its words say more.
  const worded =
    blamed || group === 'policy' || (detail === '3.0' && group !== undefined && mailboxGroups.includes(group));
  if (detail.startsWith('3.') && !worded) return byEnhanced(reply, 'mail_server_temporary_error', 0.8);
  return null;
}

/**
 * RFC 3463 §3.2 and §3.5: 5.1.2 and 5.4 speak of the host that mail goes to, and so does a domain that does not exist beside them, or one
 * that is called the recipient's.
 */
export function meansDestination({ text }: SmtpReply, detail: string, said: PhraseMatch): boolean {
  if (said?.group !== 'sender' || said.own || !/^dom/.test(said.phrase)) return false;
  return (
    detail === '1.2' || detail.startsWith('4.') || /\b(?:recipient|destination|target)(?:'s)? domain\b/i.test(text)
  );
}

/** Whether the words speak of the one who asks. */
export function isAboutClientCode(said: PhraseMatch): boolean {
  return said !== null && clientGroups.includes(said.group);
}

/** RFC 7504 §5: 556 speaks of the domain, unless words say that it speaks of something else. */
export function takesNoMail(reply: SmtpReply, said: PhraseMatch, bare: string): boolean {
  if (namesOurDomain(reply) || (said !== null && said.group !== 'takes_no_mail')) return false;
  return agreesOnNoMail(reply, bare);
}

/** RFC 7505 §4.2: a sender whose domain takes no mail is refused, too. */
function namesOurDomain({ text }: { text: string }): boolean {
  return /\byour (?:\w+ )?domain\b|\b(?:sender|originator)(?:'s)?\b/i.test(text);
}

/** Words that pass, without a plain word on the mailbox, contradict a code that lasts. */
export function isTransient({ text }: SmtpReply, said: PhraseMatch): boolean {
  if (said !== null && mailboxGroups.includes(said.group)) return false;
  return said?.group === 'temporary' || /\btemporar|\btry (?:again )?(?:later|in)\b/i.test(text);
}
