import type { SmtpReply } from '../../model/evidence.js';
import { isBareRefusal, wordsAgree } from './agreement.js';
import type { Reading, ReplyFacts } from './reading.js';
import { says, without } from './word-lists.js';

/** What the control mailboxes prove about a refusal: the name of the rule, when it applies, and what it changes in the reading. */
type ControlRule = [name: string, when: (facts: ReplyFacts) => boolean, settled: Partial<Reading>];

const absent: Partial<Reading> = { reason: 'mailbox_not_found', mayBlameSession: false };

/** The rules in order. A weaker control never overrules a stronger one. */
const controlRules: readonly ControlRule[] = [
  ['no control was asked', ({ context }) => (context.random ?? null) === null, { vague: true }],
  // The host names missing mailboxes by this code, whatever the language of these words.
  [
    'a code of absence, and the random mailbox is clearly absent',
    ({ detail, context: { random }, readWithoutControls }) =>
      /^1\.[016]$/.test(detail) && random != null && readWithoutControls(random).reason === 'mailbox_not_found',
    { ...absent, certainty: 0.85 },
  ],
  [
    'the random mailbox is accepted, or refused in another way',
    (facts) => !isRefusedAlike(facts, facts.context.random),
    {},
  ],
  // The host takes mail from us, and says the same of a mailbox that cannot exist.
  [
    'another mailbox of the domain is accepted',
    ({ context: { knownMailbox } }) => knownMailbox?.mailbox === 'accepted_before' && isAccepted(knownMailbox.reply),
    { ...absent, certainty: 0.86 },
  ],
  [
    'no mailbox that must exist was asked',
    ({ context }) => (context.knownMailbox?.reply ?? null) === null,
    { vague: true },
  ],
  [
    'the host refuses every mailbox',
    (facts) => isRefusedAlike(facts, facts.context.knownMailbox?.reply),
    { certainty: 0.8 },
  ],
  // Weak: hosts exempt postmaster from their rules about the client, as Exim's default configuration does.
  [
    'postmaster is accepted, and the refusal gives no cause',
    ({ reply, bare, context: { knownMailbox } }) => isAccepted(knownMailbox?.reply) && isBareRefusal(reply, bare),
    { ...absent, certainty: 0.85 },
  ],
  ['the controls prove nothing', () => true, {}],
];

/** Settles a refusal without a cause by the replies to the control mailboxes. */
export function settleByControls(facts: ReplyFacts, unsettled: Reading): Reading {
  const [decidedBy, , settled] = controlRules.find(([, when]) => when(facts)) ?? [unsettled.decidedBy];
  return { ...unsettled, ...settled, decidedBy };
}

function isRefusedAlike({ reply, readWithoutControls }: ReplyFacts, other: SmtpReply | null | undefined): boolean {
  return other != null && other.code === reply.code && readWithoutControls(other).vague;
}

/** 252 accepts without knowing the mailbox. */
function isAccepted(reply: SmtpReply | null | undefined): boolean {
  return reply != null && reply.code < 300 && reply.code !== 252;
}

/**
 * If the reply contradicts a reading as missing or disabled, the controls decide. They decide nothing if the host cannot look up
 * mailboxes, since postmaster is often known without a lookup.
 */
export function unlessDoubtful(facts: ReplyFacts, read: Reading): Reading {
  const { reply, match, bare } = facts;
  if (read.reason !== 'mailbox_not_found' && read.reason !== 'mailbox_disabled') return read;
  // `mailbox temporarily disabled`.
  if (says('lookup_fault', reply.text) || says('temporary', without(reply.text, 'not_temporary')))
    return { ...read, reason: 'mail_server_temporary_error', certainty: 0.5 };
  const isOutgoing = read.reason === 'mailbox_disabled' && says('about_sending', reply.text);
  // `Service unavailable; this account has been disabled` may mean the client's.
  const isOfService = read.reason === 'mailbox_disabled' && /\bservice unavailable\b/i.test(reply.text);
  if (!isOutgoing && !isOfService && wordsAgree(reply, match, bare) && !says('ambiguous', reply.text)) return read;
  // RFC 5321 §4.2.3: 501 is about the syntax of an argument.
  if (reply.code === 501 || says('syntax', reply.text))
    return { ...read, reason: 'exception_occurred', certainty: 0.5 };
  return settleByControls(facts, { ...read, reason: 'antispam_system', certainty: 0.4, mayBlameSession: true });
}
