import type { KnownAnswer, SmtpReply } from '../../model/evidence.js';
import { wordsAgree } from './agreement.js';
import {
  cannotLookUp,
  countsUs,
  invitesRetry,
  isAmbiguous,
  namesFault,
  ofOutgoing,
  reportsServerFault,
} from './deferral-words.js';
import {
  isAboutClientCode,
  isTransient,
  meansDestination,
  readEnhanced,
  senderDetails,
  takesNoMail,
} from './enhanced-codes.js';
import { mailboxGroups, type PatternGroup, unclear, withoutCause } from './pattern-groups.js';
import { byEnhanced, byText, byWords, type Reading, type ReadingReason, reading } from './reading.js';
import { matchPhrase, type PhraseMatch, type ReplyRule } from './rules.js';
import { type Echo, stripEchoedAddresses } from './strip-echoes.js';

export interface ReadingContext extends Echo {
  /** The reply to a random mailbox of the same domain, where one was asked for. */
  random?: SmtpReply | null;
  /** A mailbox that the host should know, postmaster (RFC 5321 §4.5.1) or one that it accepted in this run, and its reply. */
  known?: KnownAnswer | null;
  /** This host has not been asked for this mailbox before. */
  firstContact?: boolean;
  extraRules?: readonly ReplyRule[];
}

/** Reads a reply in the order stage, class, enhanced code, text, basic code. Pure; a refusal about us never becomes one of the mailbox. */
export function readReply(reply: SmtpReply, context: ReadingContext): Reading {
  const hundreds = Math.floor(reply.code / 100);
  if (hundreds === 2) {
    if (reply.code === 252) return reading('cannot_verify', 'basic:252', 0.9);
    return reading('accepted', `basic:${reply.code}`, 0.99);
  }
  const local = context.probed.slice(0, context.probed.lastIndexOf('@'));
  const bare = stripEchoedAddresses(reply.text, context);
  const said = matchPhrase(bare, context.extraRules, local);
  const read =
    reply.stage !== 'rcpt'
      ? readBeforeRcpt(reply, said)
      : hundreds === 4
        ? readDeferral(reply, said, context)
        : hundreds === 5
          ? readRefusal(reply, said, bare, context)
          : reading('exception_occurred', `basic:${reply.code}`, 0.5);
  if (hundreds !== 4) return read;
  return { ...read, retryAfterSeconds: waitIn(reply.text) ?? waits[read.reason] ?? null };
}

const waits: Partial<Record<ReadingReason, number>> = {
  greylisted: 60,
  rate_limited: 300,
  session_limit: 300,
  mail_server_temporary_error: 300,
};

/** Only RCPT speaks of a mailbox: a refusal before it is about us. */
function readBeforeRcpt(reply: SmtpReply, said: PhraseMatch): Reading {
  const hard = reply.code >= 500;
  const detail = reply.enhanced?.slice(2) ?? '';
  if (detail === '7.25') return byEnhanced(reply, 'needs_reverse_dns', 0.95);
  if (senderDetails.has(detail)) return byEnhanced(reply, 'sender_rejected', 0.9);
  if (
    said !== null &&
    ![...mailboxGroups, ...unclear, 'filter', 'session_limit', 'unknown_client'].includes(said.group)
  )
    return byText(said);
  if (said?.group === 'session_limit') return byWords(said, 'rate_limited', 0.8);
  if (filtersMail(said) && (hard || !invitesRetry(reply)))
    return reading('antispam_system', `stage:${reply.stage}`, 0.8);
  if (!hard) return reading('mail_server_temporary_error', `stage:${reply.stage}`, 0.7);
  const ofSender = (reply.stage === 'mail' || reply.stage === 'ehlo') && reply.code !== 530;
  const reason = ofSender ? 'sender_rejected' : 'antispam_system';
  return reading(reason, `stage:${reply.stage}`, 0.8);
}

/** RFC 3463 §3.4: beside 4.3 they speak of the host's own state. */
const ofOwnState: readonly PatternGroup[] = ['come_back', 'overfull', 'quota'];

/** 4xx: whatever the words, never the end of a mailbox. */
function readDeferral(reply: SmtpReply, said: PhraseMatch, context: ReadingContext): Reading {
  const detail = reply.enhanced?.slice(2) ?? '';
  const group = said?.group;
  if (said !== null && group === 'mailbox_busy') return byText(said);
  if (detail === '2.2' && !isAboutClientCode(said)) return byEnhanced(reply, 'mailbox_quota_exceeded', 0.95);
  if (detail === '5.3') return byEnhanced(reply, 'session_limit', 0.95);
  if (detail === '7.25') return byEnhanced(reply, 'needs_reverse_dns', 0.95);
  if (detail === '7.28') return byEnhanced(reply, 'rate_limited', 0.95);
  if (senderDetails.has(detail)) return byEnhanced(reply, 'sender_rejected', 0.95);
  if (
    said !== null &&
    group !== undefined &&
    !(group === 'come_back' && countsUs(reply.text)) &&
    !(detail.startsWith('3.') && ofOwnState.includes(group)) &&
    !['filter', 'unknown_client', 'disabled', 'no_such_user', ...unclear].includes(group)
  ) {
    return byText(said);
  }
  if (said?.group === 'disabled' || said?.group === 'no_such_user') {
    return byWords(said, 'mail_server_temporary_error', 0.6);
  }
  // RFC 3463 §3.4: 4.3 speaks of the host's own state.
  const judged = filtersMail(said) && !reportsServerFault(reply.text) && !detail.startsWith('3.');
  if (said !== null && (judged || group === 'unknown_client') && !invitesRetry(reply) && !unserved(reply))
    return byText(said);
  if ((said === null || [...unclear, 'come_back', 'unknown_client'].includes(said.group)) && countsUs(reply.text))
    return reading('rate_limited', `basic:${reply.code}`, 0.7);
  const undefinedDetail = detail === '' || detail === '0.0' || detail.startsWith('7.');
  const mayGreylist = (reply.code === 450 || reply.code === 451) && context.firstContact !== false;
  if (mayGreylist && undefinedDetail) {
    const faulty = namesFault(stripEchoedAddresses(reply.text, context), said);
    return reading(faulty ? 'mail_server_temporary_error' : 'greylisted', `basic:${reply.code}`, 0.6);
  }
  if (reply.code === 421 && detail === '7.1' && /\blater\b/i.test(reply.text))
    return reading('greylisted', 'basic:421', 0.6);
  if (said !== null && withoutCause.includes(said.group)) return byWords(said, 'mail_server_temporary_error', 0.6);
  if (detail.startsWith('7.')) return byEnhanced(reply, 'antispam_system', 0.6);
  const rule = detail === '' ? `basic:${reply.code}` : `enhanced:${reply.enhanced}`;
  return reading('mail_server_temporary_error', rule, 0.8);
}

function filtersMail(said: PhraseMatch): said is NonNullable<PhraseMatch> {
  return said?.group === 'filter' || said?.group === 'policy';
}

/** Postfix says `Client host rejected: Service unavailable` for whatever it puts off. */
function unserved({ text }: SmtpReply): boolean {
  return /\bservice unavailable\b/i.test(text);
}

/** RFC 4954 §6: they ask for a login, or refuse one, and an unknown user beside them is the one that signs in. */
const ofLogin = new Set([530, 534, 535, 538]);

/** RFC 3463: "other or undefined" and neighbours of it, which hosts use for every cause. */
const vagueDetails = new Set(['0.0', '1.4', '2.4', '5.0']);

function readRefusal(reply: SmtpReply, words: PhraseMatch, bare: string, context: ReadingContext): Reading {
  const detail = reply.enhanced?.slice(2) ?? '';
  const said = meansDestination(reply, detail, words) ? null : words;
  // A mailbox that gets too much mail exists, whatever the code.
  if (said !== null && (said.own || said.group === 'mailbox_busy')) return byText(said);
  if (ofLogin.has(reply.code) && (said === null || mailboxGroups.includes(said.group)))
    return reading('antispam_system', `basic:${reply.code}`, 0.8);
  const coded = readEnhanced(reply, detail, { said, bare, probed: context.probed });
  if (coded !== null) return unlessDoubtful(reply, coded, said, bare, context);
  if (reply.code === 556 && takesNoMail(reply, said, bare)) return reading('does_not_accept_mail', 'basic:556', 0.95);
  if (reply.code === 503 && (said === null || [...unclear, 'sender'].includes(said.group) || namesOrder(reply)))
    return readBasic(reply, null, context);
  if (said !== null && withoutCause.includes(said.group)) {
    if (isTransient(reply, said)) return byWords(said, 'mail_server_temporary_error', 0.5);
    return settledByControls(reply, byText(said), context);
  }
  // Words of a temporary fault promise nothing in a 5xx: an enhanced code speaks first.
  if (said !== null && !['temporary', 'other_cause', 'refusal'].includes(said.group))
    return unlessDoubtful(reply, byText(said), said, bare, context);
  const passes = said?.group === 'temporary' && invitesRetry(reply);
  if (detail.startsWith('7.') && !passes) return byEnhanced(reply, 'antispam_system', 0.6);
  if (vagueDetails.has(detail) && (said === null || said.group === 'refusal'))
    return settledByControls(reply, byEnhanced(reply, 'antispam_system', 0.4), context);
  if (detail.startsWith('5.')) return byEnhanced(reply, 'exception_occurred', 0.6);
  if (detail.startsWith('4.')) return byEnhanced(reply, 'mail_server_temporary_error', 0.6);
  const mayNameCause = [550, 551, 552, 553, 554, 556].includes(reply.code);
  if (mayNameCause && said?.group === 'temporary') return byText(said);
  // A host that has trouble has it with the random mailbox, too.
  if (isTransient(reply, said)) return reading('mail_server_temporary_error', `basic:${reply.code}`, 0.5);
  if (mayNameCause && said?.group === 'other_cause') return byText(said);
  return readBasic(reply, said, context);
}

/**
 * What is read as the end of a mailbox, unless the same reply gives a reason to doubt it: then the controls tell. They cannot where the
 * host has lost sight of its mailboxes, since postmaster is often known without looking it up.
 */
function unlessDoubtful(
  reply: SmtpReply,
  read: Reading,
  said: PhraseMatch,
  bare: string,
  context: ReadingContext,
): Reading {
  if (read.reason !== 'mailbox_not_found' && read.reason !== 'mailbox_disabled') return read;
  if (cannotLookUp(reply.text)) return { ...read, reason: 'mail_server_temporary_error', certainty: 0.5 };
  const ofSender = read.reason === 'mailbox_disabled' && ofOutgoing(reply.text);
  if (!ofSender && wordsAgree(reply, said, bare) && !isAmbiguous(reply.text)) return read;
  const open: Reading = { ...read, reason: 'antispam_system', certainty: 0.4, mayBlameSession: true };
  return settledByControls(reply, open, context);
}

/** RFC 5321 §4.3.2: 503 speaks of the order of commands. */
function namesOrder({ text }: SmtpReply): boolean {
  return /\b(?:first|before|precede|sequence|order)\b/i.test(text);
}

/** The code alone, or with words of a bare refusal. */
function readBasic(reply: SmtpReply, said: PhraseMatch, context: ReadingContext): Reading {
  const rule = `basic:${reply.code}`;
  const refused = said === null ? null : byText(said);
  switch (reply.code) {
    case 550:
    case 551:
    case 553:
      return settledByControls(reply, refused ?? reading('antispam_system', rule, 0.4), context);
    case 552:
      return refused ?? reading('mailbox_quota_exceeded', rule, 0.7);
    case 501:
    case 504:
      if (refused !== null && /\b(?:denied|refused|rejected)\b/i.test(reply.text)) return refused;
      return reading('exception_occurred', rule, 0.5);
    case 500:
    case 502:
    case 503:
      return reading('exception_occurred', rule, 0.5);
    default:
      return refused ?? reading('antispam_system', rule, 0.6);
  }
}

/**
 * A refusal without a cause is one of this mailbox where the host tells mailboxes apart: it refuses one that cannot exist in the same
 * way, and takes one that must. A host that refuses both refuses everybody, one that takes the random mailbox minds something else.
 */
function settledByControls(reply: SmtpReply, unsettled: Reading, context: ReadingContext): Reading {
  const { random = null, known = null, ...alone } = context;
  const open = { ...unsettled, vague: true };
  if (random === null) return open;
  const alike = (other: SmtpReply) => other.code === reply.code && readReply(other, alone).vague;
  if (!alike(random)) return unsettled;
  if (known === null || known.reply === null) return open;
  if (known.reply.code >= 300) return alike(known.reply) ? { ...unsettled, certainty: 0.8 } : unsettled;
  // RFC 3463 §3.8: 5.7 is policy, from which many hosts exempt postmaster.
  if (known.mailbox === 'postmaster' && reply.enhanced?.startsWith('5.7.') === true) return unsettled;
  return { ...unsettled, reason: 'mailbox_not_found', certainty: 0.9, mayBlameSession: false };
}

/** Seconds that a host asks us to wait, as `come back in 00:04:59` or `try again in 5 minutes`. */
function waitIn(text: string): number | null {
  const clock = /\b(\d{1,2}):(\d\d):(\d\d)\b/.exec(text);
  if (clock !== null) return Number(clock[1]) * 3600 + Number(clock[2]) * 60 + Number(clock[3]);
  const spoken = /\b(\d{1,5}) ?(s|secs?|seconds?|min|mins|minutes?)\b/i.exec(text);
  if (spoken === null) return null;
  return Number(spoken[1]) * (spoken[2]?.toLowerCase().startsWith('m') ? 60 : 1);
}
