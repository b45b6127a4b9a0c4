import { wordsAgree } from './agreement.js';
import { settleByControls } from './control-rules.js';
import {
  cannotLookUp,
  exceedsLimit,
  invitesRetry,
  isAboutSending,
  isAmbiguous,
  namesHostTrouble,
  saysTemporarily,
} from './deferral-words.js';
import { enhancedRules, isTransient, saysPlainly, takesNoMail } from './enhanced-rules.js';
import { groupsWithoutCause, type PatternGroup, unclearGroups } from './pattern-groups.js';
import { fold } from './phrases.js';
import { byEnhanced, byText, byWords, type ProviderReplyRule, type Reading, reading } from './reading.js';
import { isAboutClient, isAboutMailbox, type ReplyFacts, type ReplyRule } from './reply-rule.js';

/** RFC 4954 §6: the replies require or refuse a login. An unknown user in them is the one that logs in. */
const loginCodes = new Set([530, 534, 535, 538]);

/** RFC 3463: "other or undefined" and similar details, which hosts use for every cause. */
const vagueDetails = new Set(['0.0', '1.4', '2.4', '5.0']);

const causeCodes = [550, 551, 552, 553, 554, 556];

const weakGroups: readonly (PatternGroup | null)[] = ['temporary', 'other_cause', 'refusal'];

/** Rules for a 5xx to RCPT. */
export const refusalRules: readonly ReplyRule[] = [
  {
    name: "the user's own rule, or a mailbox that gets too much mail",
    when: ({ match, group }) => match?.isUserRule === true || group === 'mailbox_busy',
    reading: ({ match }) => byText(match),
  },
  {
    name: 'rule for the provider',
    when: (facts) => providerRule(facts) !== undefined && !isAboutClient(facts),
    reading: (facts) => {
      const { words, means } = providerRule(facts) ?? { words: '', means: 'antispam_system' as const };
      return { ...reading(means, 'provider:reply', means === 'antispam_system' ? 0.5 : 0.95), phrase: words };
    },
  },
  {
    name: 'login required',
    when: (facts) => loginCodes.has(facts.reply.code) && (facts.match === null || isAboutMailbox(facts)),
    reading: ({ reply }) => reading('antispam_system', `basic:${reply.code}`, 0.8),
  },
  ...enhancedRules.map((rule) => (rule.when === saysPlainly ? rule : unlessContradicted(rule))),
  {
    name: '556',
    when: takesNoMail,
    reading: () => reading('does_not_accept_mail', 'basic:556', 0.95),
  },
  {
    // RFC 5321 §4.3.2: 503 is about the order of commands.
    name: '503',
    when: ({ reply, detail, group }) =>
      reply.code === 503 &&
      !detail.startsWith('7.') &&
      (group === null ||
        [...unclearGroups, 'sender'].includes(group) ||
        /\b(?:first|before|precede|sequence|order)\b/i.test(reply.text)),
    reading: (facts) => readBasic({ ...facts, match: null, group: null }),
  },
  {
    // RFC 5321 §4.2.3: 555 is about the parameters of a command.
    name: '555',
    when: ({ reply }) => reply.code === 555 && /\b(?:syntax|parameter|option|argument|keyword)s?\b/i.test(reply.text),
    reading: () => reading('exception_occurred', 'basic:555', 0.6),
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
  unlessContradicted({
    name: 'words that decide',
    when: ({ match, group }) => match !== null && !weakGroups.includes(group),
    reading: ({ match }) => byText(match),
  }),
  {
    name: 'words about the syntax of a command',
    when: ({ reply, detail }) => detail.replace('0.0', '') === '' && namesSyntax(reply.text),
    reading: ({ reply }) => reading('exception_occurred', `basic:${reply.code}`, 0.6),
  },
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
    name: 'trouble of the host',
    when: (facts) => mayNameTrouble(facts) && namesHostTrouble(facts.bare),
    reading: ({ reply }) => reading('mail_server_temporary_error', `basic:${reply.code}`, 0.6),
  },
  {
    name: 'a limit of the host',
    when: (facts) => mayNameTrouble(facts) && exceedsLimit(facts.bare),
    reading: ({ reply }) => reading('rate_limited', `basic:${reply.code}`, 0.6),
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

/** A rule whose reading counts only if the same reply does not contradict it. */
function unlessContradicted(rule: ReplyRule): ReplyRule {
  return { ...rule, reading: (facts) => unlessDoubtful(facts, rule.reading(facts)) };
}

/**
 * If the reply contradicts a reading as missing or disabled, the controls decide. They decide nothing if the host cannot look up
 * mailboxes, since postmaster is often known without a lookup.
 */
function unlessDoubtful(facts: ReplyFacts, read: Reading): Reading {
  const { reply, match, bare } = facts;
  if (read.reason !== 'mailbox_not_found' && read.reason !== 'mailbox_disabled') return read;
  if (cannotLookUp(reply.text) || saysTemporarily(reply.text))
    return { ...read, reason: 'mail_server_temporary_error', certainty: 0.5 };
  const isOutgoing = read.reason === 'mailbox_disabled' && isAboutSending(reply.text);
  // `Service unavailable; this account has been disabled` may mean the client's.
  const isOfService = read.reason === 'mailbox_disabled' && /\bservice unavailable\b/i.test(reply.text);
  if (!isOutgoing && !isOfService && wordsAgree(reply, match, bare) && !isAmbiguous(reply.text)) return read;
  // RFC 5321 §4.2.3: 501 is about the syntax of an argument.
  if (reply.code === 501 || namesSyntax(reply.text)) return { ...read, reason: 'exception_occurred', certainty: 0.5 };
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

function providerRule({ reply, bare, context }: ReplyFacts): ProviderReplyRule | undefined {
  const { providerRules = [] } = context;
  if (providerRules.length === 0) return undefined;
  const text = fold(bare);
  return providerRules.find(
    ({ enhanced, words }) => (enhanced === undefined || enhanced === reply.enhanced) && text.includes(` ${words} `),
  );
}

function namesSyntax(text: string): boolean {
  return /\bviolates rfc\b|\b(?:un|im)balanced\b|\bangle brackets?\b|\bmissing (?:sender|recipient)\b|\billegal character\b|\b(?:could not|couldn't|cannot|can't) parse\b/i.test(
    text,
  );
}

/** Whether the words leave open whether the host has a fault: no code of the mailbox or a policy, no words that decide. */
function mayNameTrouble({ detail, group }: ReplyFacts): boolean {
  return (group === null || weakGroups.includes(group)) && /^(?:0\.0|4\..*|5\.0)?$/.test(detail);
}

function isWithoutCause({ group }: ReplyFacts): boolean {
  return group !== null && groupsWithoutCause.includes(group);
}
