import { agreesOnNoMail, wordsAgree } from './agreement.js';
import { settleByControls } from './control-rules.js';
import { cannotLookUp, invitesRetry, isAboutSending, isAmbiguous } from './deferral-words.js';
import { type PatternGroup, unclear, withoutCause } from './pattern-groups.js';
import { byEnhanced, byText, byWords, type Reading, reading } from './reading.js';
import { isAboutClient, isAboutMailbox, type ReplyFacts, type ReplyRule, senderDetails } from './reply-rule.js';

/** RFC 4954 §6: they ask for a login or refuse one; an unknown user in them is the one that logs in. */
const loginCodes = new Set([530, 534, 535, 538]);

/** RFC 3463: "other or undefined" and similar details, which hosts use for every cause. */
const vagueDetails = new Set(['0.0', '1.4', '2.4', '5.0']);

const causeCodes = [550, 551, 552, 553, 554, 556];

/** Enhanced codes of a missing mailbox, and how certain they are. */
const notFoundDetails: Record<string, number> = { '1.0': 0.9, '1.1': 0.98, '1.2': 0.85, '1.3': 0.85, '1.6': 0.95 };

const quotaOrDisabled: readonly (PatternGroup | null)[] = ['overfull', 'quota', 'disabled'];
const weakGroups: readonly (PatternGroup | null)[] = ['temporary', 'other_cause', 'refusal'];

/** What the enhanced code of a refusal says, and the words that overrule it. */
const enhancedRules: readonly ReplyRule[] = [
  {
    // RFC 7504 §3: 521 refuses all mail.
    name: '521 with a code of the mailbox',
    when: (facts) => facts.reply.code === 521 && !isAboutMailbox(facts) && /^(?:1\.[01]|2\.)/.test(facts.detail),
    reading: ({ match }) => (match === null ? reading('antispam_system', 'basic:521', 0.7) : byText(match)),
  },
  {
    name: 'not found, but the words blame the client or name a full or disabled mailbox',
    when: (facts) => isNotFound(facts) && (isAboutClient(facts) || quotaOrDisabled.includes(facts.group)),
    reading: ({ match }) => byText(match),
  },
  {
    // Postfix turns the 5.1.10 of an access map into 5.1.0; RFC 7504 §5: 556 is about the domain.
    name: 'not found, with 556',
    when: (facts) => isNotFound(facts) && takesNoMail(facts),
    reading: () => reading('does_not_accept_mail', 'basic:556', 0.95),
  },
  {
    name: 'not found, but a policy',
    when: (facts) => isNotFound(facts) && facts.group === 'policy',
    reading: ({ match }) => byText(match),
  },
  {
    name: 'not found, but temporary',
    when: (facts) => isNotFound(facts) && isTransient(facts),
    reading: ({ reply }) => byEnhanced(reply, 'mail_server_temporary_error', 0.6),
  },
  {
    name: 'not found',
    when: isNotFound,
    reading: ({ reply, detail }) => byEnhanced(reply, 'mailbox_not_found', notFoundDetails[detail] ?? 0.85),
  },
  {
    // RFC 7505 means the domain; Exchange Online says it of one mailbox: `550 5.1.10 RESOLVER.ADR.RecipientNotFound`.
    name: '5.1.10 of a mailbox',
    when: ({ detail, group }) => detail === '1.10' && group === 'no_such_user',
    reading: ({ match }) => byText(match),
  },
  {
    name: '5.1.10 of the sender',
    when: (facts) => facts.detail === '1.10' && namesSenderDomain(facts),
    reading: ({ reply }) => byEnhanced(reply, 'sender_rejected', 0.8),
  },
  {
    name: '5.1.10',
    when: ({ reply, detail, bare }) => detail === '1.10' && agreesOnNoMail(reply, bare),
    reading: ({ reply }) => byEnhanced(reply, 'does_not_accept_mail', 0.97),
  },
  {
    name: '5.2.1, but the words say otherwise',
    when: (facts) =>
      facts.detail === '2.1' &&
      (isAboutClient(facts) || facts.group === 'policy' || (isAboutMailbox(facts) && facts.group !== 'disabled')),
    reading: ({ match }) => byText(match),
  },
  {
    name: '5.2.1, but temporary',
    when: (facts) => facts.detail === '2.1' && isTransient(facts),
    reading: ({ reply }) => byEnhanced(reply, 'mail_server_temporary_error', 0.6),
  },
  {
    // Not with another cause: `550 5.2.1 Service unavailable, [example.com] does not accept email over IPv6` is about the client.
    name: '5.2.1',
    when: ({ detail, group }) => detail === '2.1' && group !== 'other_cause',
    reading: ({ reply }) => byEnhanced(reply, 'mailbox_disabled', 0.95),
  },
  {
    name: '5.2.2, but the words blame the client',
    when: (facts) => facts.detail === '2.2' && (isAboutClient(facts) || facts.group === 'policy'),
    reading: ({ match }) => byText(match),
  },
  {
    name: '5.2.2',
    when: ({ detail }) => detail === '2.2',
    reading: ({ reply }) => byEnhanced(reply, 'mailbox_quota_exceeded', 0.95),
  },
  {
    // Directory-based edge blocking of Exchange Online: `550 5.4.1 Recipient address rejected: Access denied`.
    name: '5.4.1 with "access denied"',
    when: (facts) => facts.detail === '4.1' && /access denied/i.test(facts.reply.text) && !isAboutClient(facts),
    reading: ({ reply }) => byEnhanced(reply, 'mailbox_not_found', 0.95),
  },
  {
    // chkuser signs its refusal to relay with #5.5.3.
    name: '5.5.3, but the words blame the client',
    when: (facts) => facts.detail === '5.3' && isAboutClient(facts),
    reading: ({ match }) => byText(match),
  },
  {
    name: '5.5.3',
    when: ({ detail }) => detail === '5.3',
    reading: ({ reply }) => byEnhanced(reply, 'session_limit', 0.95),
  },
  {
    // An ASCII address needs no SMTPUTF8.
    name: '5.6.7',
    when: ({ detail }) => detail === '6.7',
    reading: ({ reply, context }) =>
      byEnhanced(reply, /[^ -~]/.test(context.probed) ? 'smtputf8_unsupported' : 'exception_occurred', 0.95),
  },
  {
    name: '5.7.25',
    when: ({ detail }) => detail === '7.25',
    reading: ({ reply }) => byEnhanced(reply, 'needs_reverse_dns', 0.95),
  },
  {
    name: '5.7.28',
    when: ({ detail }) => detail === '7.28',
    reading: ({ reply }) => byEnhanced(reply, 'rate_limited', 0.9),
  },
  {
    name: 'code of the sender',
    when: ({ detail }) => senderDetails.has(detail),
    reading: ({ reply }) => byEnhanced(reply, 'sender_rejected', 0.95),
  },
  {
    // `5.3.0` is the "other" of sendmail: its words say more.
    name: '5.3.x',
    when: (facts) =>
      facts.detail.startsWith('3.') &&
      !isAboutClient(facts) &&
      facts.group !== 'policy' &&
      !(facts.detail === '3.0' && isAboutMailbox(facts)),
    reading: ({ reply }) => byEnhanced(reply, 'mail_server_temporary_error', 0.8),
  },
];

/** 5xx to RCPT. */
export const refusalRules: readonly ReplyRule[] = [
  {
    name: "the user's own rule, or a mailbox that gets too much mail",
    when: ({ match, group }) => match?.own === true || group === 'mailbox_busy',
    reading: ({ match }) => byText(match),
  },
  {
    name: 'login required',
    when: (facts) => loginCodes.has(facts.reply.code) && (facts.match === null || isAboutMailbox(facts)),
    reading: ({ reply }) => reading('antispam_system', `basic:${reply.code}`, 0.8),
  },
  ...enhancedRules.map(confirmed),
  {
    name: '556',
    when: takesNoMail,
    reading: () => reading('does_not_accept_mail', 'basic:556', 0.95),
  },
  {
    // RFC 5321 §4.3.2: 503 is about the order of commands.
    name: '503',
    when: ({ reply, group }) =>
      reply.code === 503 &&
      (group === null ||
        [...unclear, 'sender'].includes(group) ||
        /\b(?:first|before|precede|sequence|order)\b/i.test(reply.text)),
    reading: (facts) => readBasic({ ...facts, match: null, group: null }),
  },
  {
    name: 'words without a cause, but temporary',
    when: (facts) => isWithoutCause(facts) && isTransient(facts),
    reading: ({ match }) => byWords(match, 'mail_server_temporary_error', 0.5),
  },
  {
    name: 'words without a cause',
    when: isWithoutCause,
    reading: (facts) => settleByControls(facts, byText(facts.match)),
  },
  // Words of a temporary fault decide nothing in a 5xx: an enhanced code goes first.
  confirmed({
    name: 'words that decide',
    when: ({ match, group }) => match !== null && !weakGroups.includes(group),
    reading: ({ match }) => byText(match),
  }),
  {
    name: '5.7.x',
    when: ({ reply, detail, group }) => detail.startsWith('7.') && !(group === 'temporary' && invitesRetry(reply)),
    reading: ({ reply }) => byEnhanced(reply, 'antispam_system', 0.6),
  },
  {
    name: 'vague enhanced code',
    when: ({ detail, group }) => vagueDetails.has(detail) && (group === null || group === 'refusal'),
    reading: (facts) => settleByControls(facts, byEnhanced(facts.reply, 'antispam_system', 0.4)),
  },
  {
    name: '5.5.x',
    when: ({ detail }) => detail.startsWith('5.'),
    reading: ({ reply }) => byEnhanced(reply, 'exception_occurred', 0.6),
  },
  {
    name: '5.4.x',
    when: ({ detail }) => detail.startsWith('4.'),
    reading: ({ reply }) => byEnhanced(reply, 'mail_server_temporary_error', 0.6),
  },
  {
    name: 'words of a temporary fault',
    when: ({ reply, group }) => causeCodes.includes(reply.code) && group === 'temporary',
    reading: ({ match }) => byText(match),
  },
  {
    name: 'temporary',
    when: isTransient,
    reading: ({ reply }) => reading('mail_server_temporary_error', `basic:${reply.code}`, 0.5),
  },
  {
    name: 'words of another cause',
    when: ({ reply, group }) => causeCodes.includes(reply.code) && group === 'other_cause',
    reading: ({ match }) => byText(match),
  },
  { name: 'basic code', when: () => true, reading: readBasic },
];

/** A rule whose reading counts only if nothing in the same reply casts doubt on it. */
function confirmed(rule: ReplyRule): ReplyRule {
  return { ...rule, reading: (facts) => unlessDoubtful(facts, rule.reading(facts)) };
}

/**
 * A reading that ends the mailbox, unless the reply casts doubt on it: then the controls decide. They cannot where the host cannot look
 * up mailboxes, since postmaster is often known without a lookup.
 */
function unlessDoubtful(facts: ReplyFacts, read: Reading): Reading {
  const { reply, match, bare } = facts;
  if (read.reason !== 'mailbox_not_found' && read.reason !== 'mailbox_disabled') return read;
  if (cannotLookUp(reply.text)) return { ...read, reason: 'mail_server_temporary_error', certainty: 0.5 };
  const isOutgoing = read.reason === 'mailbox_disabled' && isAboutSending(reply.text);
  if (!isOutgoing && wordsAgree(reply, match, bare) && !isAmbiguous(reply.text)) return read;
  return settleByControls(facts, { ...read, reason: 'antispam_system', certainty: 0.4, mayBlameSession: true });
}

/** The basic code alone, or with the words of a bare refusal. */
function readBasic(facts: ReplyFacts): Reading {
  const { reply, match } = facts;
  const rule = `basic:${reply.code}`;
  const byMatch = match === null ? null : byText(match);
  switch (reply.code) {
    case 550:
    case 551:
    case 553:
      return settleByControls(facts, byMatch ?? reading('antispam_system', rule, 0.4));
    case 552:
      return byMatch ?? reading('mailbox_quota_exceeded', rule, 0.7);
    case 501:
    case 504:
      if (byMatch !== null && /\b(?:denied|refused|rejected)\b/i.test(reply.text)) return byMatch;
      return reading('exception_occurred', rule, 0.5);
    case 500:
    case 502:
    case 503:
      return reading('exception_occurred', rule, 0.5);
    default:
      return byMatch ?? reading('antispam_system', rule, 0.6);
  }
}

function isNotFound({ detail }: ReplyFacts): boolean {
  return notFoundDetails[detail] !== undefined;
}

function isWithoutCause({ group }: ReplyFacts): boolean {
  return group !== null && withoutCause.includes(group);
}

/** RFC 7504 §5: 556 is about the domain, unless the words name something else. */
function takesNoMail(facts: ReplyFacts): boolean {
  const { reply, group, bare } = facts;
  if (reply.code !== 556 || namesSenderDomain(facts) || (group !== null && group !== 'takes_no_mail')) return false;
  return agreesOnNoMail(reply, bare);
}

/** RFC 7505 §4.2: a sender whose domain takes no mail is refused as well. */
function namesSenderDomain({ reply }: ReplyFacts): boolean {
  return /\byour (?:\w+ )?domain\b|\b(?:sender|originator)(?:'s)?\b/i.test(reply.text);
}

/** Temporary words contradict a permanent code, unless they are about the mailbox. */
function isTransient(facts: ReplyFacts): boolean {
  if (isAboutMailbox(facts)) return false;
  return facts.group === 'temporary' || /\btemporar|\btry (?:again )?(?:later|in)\b/i.test(facts.reply.text);
}
