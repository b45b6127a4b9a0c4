import { agreesOnNoMail, hasPlainWords, isHedged } from './agreement.js';
import { settleByControls } from './control-rules.js';
import { saysTemporary } from './deferral-words.js';
import { matchPhrase } from './match-phrase.js';
import type { PatternGroup } from './pattern-groups.js';
import { byEnhanced, byText, explicitCertainty, reading } from './reading.js';
import { hasSenderCode, isAboutClient, isAboutMailbox, type ReplyFacts, type ReplyRule } from './reply-rule.js';
import { stripEchoedAddresses } from './strip-echoes.js';

/** Enhanced codes of a missing mailbox, and how certain they are. */
const notFoundDetails: Record<string, number> = { '1.0': 0.9, '1.1': 0.98, '1.2': 0.85, '1.3': 0.85, '1.6': 0.95 };

const quotaOrDisabled: readonly (PatternGroup | null)[] = ['overfull', 'quota', 'disabled'];

/** Hosts say it of missing, full and busy mailboxes, with any code. */
const notAvailable = /\b(?:un|not )available\b/;

/** What the enhanced code of a refusal says, and the words that overrule it. */
export const enhancedRules: readonly ReplyRule[] = [
  {
    name: 'a line that says plainly that the mailbox is missing',
    when: saysPlainly,
    reading: ({ reply }) => byEnhanced(reply, 'mailbox_not_found', explicitCertainty),
  },
  {
    // Exchange: restricted to members, to senders of the organization, or to named ones.
    name: '5.7.124, 5.7.129, 5.7.133 or 5.7.134',
    when: ({ detail }) => /^7\.(?:124|129|133|134)$/.test(detail),
    reading: ({ reply }) => byEnhanced(reply, 'restricted_recipient', 0.95),
  },
  {
    // No control settles which of its causes a refusal has.
    name: 'hedged words',
    when: (facts) => facts.group === 'hedged' || (!isAboutClient(facts) && isHedged(facts.bare)),
    reading: ({ reply, match }) =>
      match?.group === 'hedged' ? byText(match) : reading('antispam_system', `basic:${reply.code}`, 0.4),
  },
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
    reading: ({ reply }) => byEnhanced(reply, 'does_not_accept_mail', explicitCertainty),
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
    name: '5.2.1, but only not available',
    when: ({ detail, reply, bare }) => detail === '2.1' && notAvailable.test(bare) && hasPlainWords(reply.text, bare),
    reading: (facts) => settleByControls(facts, byEnhanced(facts.reply, 'antispam_system', 0.4)),
  },
  {
    // Not with another cause: `550 5.2.1 Service unavailable, [example.com] does not accept email over IPv6` is about the client.
    name: '5.2.1',
    when: ({ detail, group }) => detail === '2.1' && group !== 'other_cause',
    reading: ({ reply }) => byEnhanced(reply, 'mailbox_disabled', explicitCertainty),
  },
  {
    name: '5.2.2, but the words blame the client',
    when: (facts) => facts.detail === '2.2' && (isAboutClient(facts) || facts.group === 'policy'),
    reading: ({ match }) => byText(match),
  },
  {
    name: '5.2.2',
    when: ({ detail }) => detail === '2.2',
    reading: ({ reply }) => byEnhanced(reply, 'mailbox_quota_exceeded', explicitCertainty),
  },
  {
    // Directory-based edge blocking of Exchange Online: `550 5.4.1 Recipient address rejected: Access denied`.
    name: '5.4.1 with "access denied" from Exchange Online',
    when: (facts) =>
      facts.detail === '4.1' &&
      /access denied/i.test(facts.reply.text) &&
      isExchangeOnline(facts) &&
      !isAboutClient(facts),
    reading: ({ reply }) => byEnhanced(reply, 'mailbox_not_found', explicitCertainty),
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
    name: '5.6.7, or words about SMTPUTF8',
    when: (facts) => facts.detail === '6.7' || (!isAboutClient(facts) && namesSmtpUtf8(facts.reply.text)),
    reading: ({ reply, context }) =>
      byEnhanced(reply, /[^ -~]/.test(context.recipient) ? 'smtputf8_unsupported' : 'exception_occurred', 0.95),
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
    when: hasSenderCode,
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

/** A line of a longer reply with its own code, which the other lines cannot override: `5.1.1 User unknown`. */
export function saysPlainly({ reply, context }: ReplyFacts): boolean {
  // After a colon, a bracket or a basic code a host quotes the reply of another one.
  const lines = reply.text.split(/(?<![:([]|\b[245]\d\d) (?=5\.\d\.\d{1,3} )/);
  return (
    lines.length > 1 &&
    lines.some((line) => {
      if (!line.startsWith('5.1.1 ')) return false;
      const bare = stripEchoedAddresses(line, context);
      return matchPhrase(bare)?.group === 'no_such_user' && hasPlainWords(line, bare) && !isHedged(bare);
    })
  );
}

function namesSmtpUtf8(text: string): boolean {
  return /\bsmtputf8\b|\binternationali[sz]ed (?:e-?mail|mailbox|address)|\bunicode e-?mail\b/i.test(text);
}

function isExchangeOnline({ reply, context }: ReplyFacts): boolean {
  return (
    /\.eop\b|\.protection\.outlook\.com\b|\bEXOSmtpErrors\b|\bAS\(\d{6,}\)/i.test(reply.text) ||
    isExchangeHost(context.hostName)
  );
}

/** Whether a mail host belongs to Exchange Online. */
export function isExchangeHost(hostName = ''): boolean {
  return /(?:\.protection\.outlook\.com|\.mx\.microsoft)$/i.test(hostName);
}

function isNotFound({ detail }: ReplyFacts): boolean {
  return notFoundDetails[detail] !== undefined;
}

/** RFC 7504 §5: 556 is about the domain, unless the words name something else. */
export function takesNoMail(facts: ReplyFacts): boolean {
  const { reply, group, bare } = facts;
  if (reply.code !== 556 || namesSenderDomain(facts) || (group !== null && group !== 'takes_no_mail')) return false;
  return !notAvailable.test(bare) && agreesOnNoMail(reply, bare);
}

/** RFC 7505 §4.2: a sender whose domain takes no mail is refused as well. */
function namesSenderDomain({ reply }: ReplyFacts): boolean {
  return /\byour (?:\w+ )?domain\b|\b(?:sender|originator)(?:'s)?\b/i.test(reply.text);
}

/** Temporary words contradict a permanent code, unless they are about the mailbox. */
export function isTransient(facts: ReplyFacts): boolean {
  if (isAboutMailbox(facts)) return false;
  return facts.group === 'temporary' || saysTemporary(facts.reply.text);
}
