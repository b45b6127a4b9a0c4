import type { SmtpReply } from '../../model/evidence.js';
import { isBareRefusal, wordsAgree } from './agreement.js';
import type { Reading, ReplyFacts } from './reading.js';
import { says, without } from './word-lists.js';

/** A rule for what the control mailboxes prove about a refusal. */
interface ControlRule {
  name: string;
  when(facts: ReplyFacts): boolean;
  /** What changes in the reading without controls. */
  settled: Partial<Reading>;
}

const absent: Partial<Reading> = { reason: 'mailbox_not_found', mayBlameSession: false };

/** The rules in order. A weaker control never overrules a stronger one. */
const controlRules: readonly ControlRule[] = [
  {
    name: 'no control was asked',
    when: ({ context }) => (context.random ?? null) === null,
    settled: { vague: true },
  },
  {
    // The host names missing mailboxes by this code, whatever the language of these words.
    name: 'a code of absence, and the random mailbox is clearly absent',
    when: ({ detail, context, readWithoutControls }) =>
      /^1\.[016]$/.test(detail) &&
      context.random != null &&
      readWithoutControls(context.random).reason === 'mailbox_not_found',
    settled: { ...absent, certainty: 0.85 },
  },
  {
    name: 'the random mailbox is accepted, or refused in another way',
    when: (facts) => !isRefusedAlike(facts, facts.context.random),
    settled: {},
  },
  {
    // The host takes mail from us, and says the same of a mailbox that cannot exist.
    name: 'another mailbox of the domain is accepted',
    when: ({ context: { knownMailbox } }) =>
      knownMailbox?.mailbox === 'accepted_before' && isAccepted(knownMailbox.reply),
    settled: { ...absent, certainty: 0.86 },
  },
  {
    name: 'no mailbox that must exist was asked',
    when: ({ context }) => (context.knownMailbox?.reply ?? null) === null,
    settled: { vague: true },
  },
  {
    name: 'the host refuses every mailbox',
    when: (facts) => isRefusedAlike(facts, facts.context.knownMailbox?.reply),
    settled: { certainty: 0.8 },
  },
  {
    // Weak: hosts exempt postmaster from their rules about the client, as Exim's default configuration does.
    name: 'postmaster is accepted, and the refusal gives no cause',
    when: ({ reply, bare, context: { knownMailbox } }) => isAccepted(knownMailbox?.reply) && isBareRefusal(reply, bare),
    settled: { ...absent, certainty: 0.85 },
  },
  {
    name: 'the controls prove nothing',
    when: () => true,
    settled: {},
  },
];

/** Settles a refusal without a cause by the replies to the control mailboxes. */
export function settleByControls(facts: ReplyFacts, unsettled: Reading): Reading {
  const rule = controlRules.find(({ when }) => when(facts));
  return { ...unsettled, ...rule?.settled, decidedBy: rule?.name ?? unsettled.decidedBy };
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
