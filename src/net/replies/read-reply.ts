import { LruMap } from '../../async/lru-map.js';
import { afterIo } from '../../async/yield-to-io.js';
import type { SmtpReply } from '../../model/evidence.js';
import { isExchangeHost } from './conditions.js';
import { matchPhrase } from './match-phrase.js';
import { isAscii } from './phrases.js';
import {
  type PhraseMatch,
  type Reading,
  type ReadingContext,
  type ReadingReason,
  type ReplyFacts,
  reading,
} from './reading.js';
import { readByRules } from './reply-rules.js';
import { stripEchoedAddresses } from './strip-echoes.js';

/** Reads a reply by stage, class, enhanced code, text and basic code. Pure; a refusal of the client never becomes one of the mailbox. */
export function readReply(reply: SmtpReply, context: ReadingContext): Reading {
  const replyClass = Math.floor(reply.code / 100);
  if (replyClass === 2) {
    if (reply.code === 252) return reading('cannot_verify', 'basic:252', 0.9);
    return reading('accepted', `basic:${reply.code}`, 0.99);
  }
  const { random, knownMailbox, extraRules = [], providerRules = [] } = context;
  const isCacheable = random == null && knownMailbox == null && extraRules.length + providerRules.length === 0;
  return isCacheable ? readCached(reply, context) : readRefusal(reply, context);
}

/** Hosts repeat the same few sentences. */
const cache = new LruMap<Reading>({ maxEntries: 500 });

function readCached(reply: SmtpReply, context: ReadingContext): Reading {
  const { stage, code, enhanced } = reply;
  const { ourIp, ourName, hostName, senders = [], firstContact } = context;
  const lower = reply.text.replaceAll(context.recipient, ' ').toLowerCase();
  const recipient = neutralRecipient(lower, context.recipient);
  const text = reply.text.replaceAll(context.recipient, recipient);
  let key = `${stage} ${code} ${enhanced} ${firstContact} ${isExchangeHost(hostName)} ${recipient}`;
  for (const name of [ourIp, ourName, hostName, ...senders])
    if (name !== undefined && lower.includes(name.toLowerCase())) key += `\n${name}`;
  key += `\n${text}`;
  return cache.getOrCreate(key, () => readRefusal({ ...reply, text }, { ...context, recipient }));
}

/**
 * The recipient without what a reply echoes only as a part of it: `pending@example.com` must not change the meaning, and hosts say the
 * same for each recipient.
 */
function neutralRecipient(others: string, recipient: string): string {
  const atSign = recipient.lastIndexOf('@');
  // A recipient beyond ASCII may need SMTPUTF8.
  if (atSign === -1 || !isAscii(recipient)) return recipient;
  const neutral = (part: string) => (others.includes(part.toLowerCase()) ? part : '_');
  return `${neutral(recipient.slice(0, atSign))}@${neutral(recipient.slice(atSign + 1))}`;
}

let isWarm = false;

/** Reads a refusal once, after the next I/O: what is compiled for it is not compiled while a host waits. */
export async function warmUpRules(): Promise<void> {
  if (isWarm) return;
  isWarm = true;
  await afterIo();
  await afterIo();
  // Postfix says this. If it throws, the first refusal reports it.
  const text = '5.1.1 <a@b>: Recipient address rejected: User unknown in local recipient table';
  readRefusal({ stage: 'rcpt', code: 550, enhanced: '5.1.1', text }, { recipient: 'a@b' });
}

function readRefusal(reply: SmtpReply, context: ReadingContext): Reading {
  const replyClass = Math.floor(reply.code / 100);
  const facts = factsOf(reply, context, replyClass);
  const table = reply.stage === 'rcpt' ? (tables[replyClass] ?? 'other') : 'early';
  const read = readByRules(table, facts);
  if (replyClass !== 4) return read;
  return { ...read, retryAfterSeconds: waitIn(reply.text) ?? defaultWaits[read.reason] ?? null };
}

function factsOf(reply: SmtpReply, context: ReadingContext, replyClass: number): ReplyFacts {
  const localPart = context.recipient.slice(0, context.recipient.lastIndexOf('@'));
  const bare = stripEchoedAddresses(reply.text, context);
  const detail = reply.enhanced?.slice(2) ?? '';
  const phraseMatch = matchPhrase(bare, context.extraRules, localPart);
  const isRefusal = reply.stage === 'rcpt' && replyClass === 5;
  const match = isRefusal && isAboutDestination(reply, detail, phraseMatch) ? null : phraseMatch;
  const { random: _, knownMailbox: __, ...alone } = context;
  const readAlone = (other: SmtpReply): Reading => readReply(other, alone);
  return { reply, detail, match, group: match?.group ?? null, bare, context, readWithoutControls: readAlone };
}

/**
 * RFC 3463 §3.2 and §3.5: 5.1.2 and 5.4 are about the destination host. Words on a missing domain with them, or on one called the
 * recipient's, are not about the sender.
 */
function isAboutDestination({ text }: SmtpReply, detail: string, match: PhraseMatch): boolean {
  const isAboutDomain = match?.group === 'sender' && !match.isUserRule && match.phrase.startsWith('dom');
  if (!isAboutDomain) return false;
  return (
    detail === '1.2' || detail.startsWith('4.') || /\b(?:recipient|destination|target)(?:'s)? domain\b/i.test(text)
  );
}

/** The tables of rules for replies to RCPT. Only RCPT is about a mailbox: an earlier refusal is about the client. */
const tables = { 4: 'deferral', 5: 'refusal' } as Record<number, 'deferral' | 'refusal' | undefined>;

const defaultWaits: Partial<Record<ReadingReason, number>> = {
  greylisted: 60,
  rate_limited: 300,
  session_limit: 300,
  mail_server_temporary_error: 300,
};

/** `in 00:04:30`; without such a word it is a time of day. */
const clockWait = /\b(?:in|for|wait|least|about) (\d{1,2}):(\d\d):(\d\d)\b/i;
/** `in 1 hour(s) 25 min`; without such a word it is the period of a limit, as in `400 per 24 hours`. */
const hoursWait =
  /\b(?:in|for|after|wait|least|about) (\d{1,3}) ?h(?:rs?|ours?)?\b(?:\(s\))?(?:,? (?:and )?(\d{1,2}) ?m(?:ins?|inutes?)?\b)?/i;

/** The seconds that a reply asks to wait. */
function waitIn(text: string): number | null {
  const [, hours, minutes = 0, seconds = 0] = clockWait.exec(text) ?? hoursWait.exec(text) ?? [];
  if (hours !== undefined) return Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
  const amount = /\b(\d{1,5}) ?(s|secs?|seconds?|min|mins|minutes?)\b/i.exec(text);
  if (amount === null) return null;
  return Number(amount[1]) * (amount[2]?.toLowerCase().startsWith('m') ? 60 : 1);
}
