import { providerOf, providerTraits } from '../../engine/lists/providers.js';
import type { Bounce, BounceKind } from '../../model/bounce.js';
import type { SmtpReply, SmtpStage } from '../../model/evidence.js';
import { type SubStatus, statusOf } from '../../model/verdict.js';
import { readReply } from '../../net/replies/read-reply.js';
import type { Reading, ReadingReason } from '../../net/replies/reading.js';
import { enhancedIn } from '../../net/smtp/reply-parser.js';

/** Why a message was not delivered to one recipient. */
interface DeliveryFailure {
  recipient: string;
  /** The reply of the mail server, or the words of the report. */
  text: string;
  /** The status code of the report; null if there is none. */
  status: string | null;
  /** The mail server that replied; empty if unknown. */
  remoteMta: string;
}

export type Classified = Pick<Bounce, 'kind' | 'status' | 'sub_status' | 'reply'>;

export const unreadable: Classified = { kind: 'unreadable', status: 'unknown', sub_status: '', reply: '' };

const kinds: Record<ReadingReason | 'no_dns_entries' | 'dns_error', BounceKind> = {
  mailbox_not_found: 'hard',
  mailbox_disabled: 'hard',
  does_not_accept_mail: 'hard',
  smtputf8_unsupported: 'hard',
  no_dns_entries: 'hard',
  // A mailbox that gets too much mail exists.
  accepted: 'soft',
  cannot_verify: 'soft',
  session_limit: 'soft',
  mailbox_quota_exceeded: 'soft',
  greylisted: 'soft',
  rate_limited: 'soft',
  mail_server_temporary_error: 'soft',
  failed_smtp_connection: 'soft',
  timeout_exceeded: 'soft',
  forcible_disconnect: 'soft',
  mail_server_did_not_respond: 'soft',
  dns_error: 'soft',
  antispam_system: 'policy',
  restricted_recipient: 'policy',
  needs_reverse_dns: 'policy',
  sender_rejected: 'policy',
  exception_occurred: 'policy',
};

/** Classifies a failure with the engine's rules for replies. A failure that no rule matches is `unreadable`. */
export function classifyFailure(failure: DeliveryFailure): Classified {
  const found = findReply(failure.text);
  const reason = reasonOf(failure, oneLine(failure.text), found);
  if (reason === null) return unreadable;
  const subStatus = subStatusOf(reason);
  const words = found?.reply ?? decisiveLine(failure, reason);
  const reply = words.length > maxShownLength ? `${words.slice(0, maxShownLength - 1)}…` : words;
  return { kind: kinds[reason], status: statusOf[subStatus], sub_status: subStatus, reply };
}

type Reason = keyof typeof kinds;

function reasonOf(failure: DeliveryFailure, text: string, found: FoundReply | null): Reason | null {
  return (
    readLargeMessage(text) ??
    readMissingDomain(failure, text) ??
    (found === null ? readLocal(failure, text) : null) ??
    readRemote(failure, text, found)
  );
}

/** The line that says why. The rest of a notice may hold parts of the message, which are not shown. */
function decisiveLine(failure: DeliveryFailure, reason: Reason): string {
  const lines = failure.text.split('\n').map(oneLine);
  return lines.find((line) => line !== '' && reasonOf({ ...failure, status: null }, line, null) === reason) ?? '';
}

function subStatusOf(reason: Reason): SubStatus {
  if (reason === 'accepted' || reason === 'session_limit') return 'rate_limited';
  return reason === 'cannot_verify' ? 'mail_server_temporary_error' : reason;
}

const maxShownLength = 500;
const maxTextLength = 4_000;

function oneLine(text: string): string {
  return text
    .replace(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, maxTextLength);
}

interface FoundReply {
  code: number;
  /** The reply with its code. */
  reply: string;
  stage: SmtpStage;
}

/** A reply code of RFC 5321; sizes and counts such as `500 MB` are excluded. */
const replyCode =
  /(?<![\w.@/+-]|\d[,:])([45]\d\d)(?:-(?=['"\d#\w<])|[ \t]*[:;,-]?\s+(?!(?:[kmg]i?b|bytes?|messages?|recipients?|seconds?|minutes?|hours?|days?|characters?)\b)|$)/gi;
/** Words after which the reply of the other server follows. */
const replyCue =
  /(?:said|says|was|were|respon(?:se|ded)|reply|replied|returned|error|reason|smtp|[<>]{2,}|<-+|code|status|detail|diagnostic|message|:|;|\(|\[|"|')[ :;('"[<#]*$/i;

/** An empty line, or the next line of a transcript, ends a reply. */
const replyEnd = /\n\s*\n|\n\s*(?=>>>|<<<|<--|-->|---|===|\*\*\*|giving up\b)/i;

/** The reply of a mail server in the text of a report; null if there is none. */
function findReply(text: string): FoundReply | null {
  const sections = text.slice(0, maxTextLength).split(replyEnd);
  for (const [sectionIndex, section] of sections.entries()) {
    const match = [...section.matchAll(replyCode)].find(({ index, 0: { length } }) =>
      isReplyAt(section, index, index + length),
    );
    if (match === undefined) continue;
    const code = Number(match[1]);
    const reply = oneLine(
      section
        .slice(match.index)
        // A line with another code is another reply.
        .replace(new RegExp(`\\n\\s*(?!${code})[245]\\d\\d[ -].*$`, 's'), ''),
    )
      // The code of each line, and a code that is repeated.
      .replace(new RegExp(`(?<=\\s|^\\d{3}[ -])${code}[ -](?=\\S)`, 'g'), '')
      .replace(/^(\d{3})[-:;, ]+['"]?/, '$1 ')
      .replace(/\s*\((?:in reply to|expanded from:|delivery attempts:) [^)]*\).*$/i, '');
    return {
      code,
      reply: withoutOpenEnd(reply),
      stage: stageOf(oneLine(`${sections[sectionIndex - 1] ?? ''} ${section}`)),
    };
  }
  return null;
}

/** Without closing quotes and brackets that were opened before the reply. */
function withoutOpenEnd(reply: string): string {
  const end = reply.at(-1) ?? '';
  const open = { ')': '(', ']': '[' }[end] ?? '';
  const isClosed = open !== '' && reply.split(open).length === reply.split(end).length;
  return /["'\])]/.test(end) && !isClosed ? withoutOpenEnd(reply.slice(0, -1)) : reply;
}

/** A code at the start of a line, after a cue, or with an enhanced code. */
function isReplyAt(text: string, start: number, end: number): boolean {
  const precedingText = text.slice(Math.max(0, start - 40), start);
  if (start === 0 || /\n[ \t]*$/.test(precedingText) || /^[#(<]*[45]\.\d{1,3}\.\d/.test(text.slice(end))) return true;
  return replyCue.test(precedingText);
}

/** What the refused command was, as Postfix, Exim, sendmail and qmail say it. A reply to DATA is read like one to RCPT. */
function stageOf(text: string): SmtpStage {
  if (/in reply to MAIL FROM|after (?:pipelined )?MAIL FROM|>>> MAIL From|does not like sender/i.test(text))
    return 'mail';
  if (/in reply to (?:EHLO|HELO)|after (?:EHLO|HELO)|>>> (?:EHLO|HELO)/i.test(text)) return 'ehlo';
  if (/refused to talk to me|greeting failed|after initial connection|while performing the initial/i.test(text))
    return 'banner';
  return 'rcpt';
}

/** RFC 3463 §3.3, §3.4: the message, not the mailbox, is too large. */
function readLargeMessage(text: string): 'antispam_system' | null {
  if (/\bquota|mailbox (?:is )?full|over ?quota/i.test(text)) return null;
  const isLarge =
    /(?<![\d.])5\.(?:3\.4|2\.3)(?![\d.]*\d)|\bmessage (?:size|length) (?:exceeds|is (?:too|larger))|message (?:is )?(?:too (?:big|large)|larger than)|exceeds? .{0,40}(?:message size|size limit|maximum size)|message file too big|size limit exceeded|\bmail size limit/i;
  return isLarge.test(text) ? 'antispam_system' : null;
}

/** A domain that does not exist, as Exchange, sendmail and qmail say it beside a code that means something else. */
function readMissingDomain({ status }: DeliveryFailure, text: string): 'no_dns_entries' | null {
  const isMissing =
    /\b5\.4\.310\b|\bInfoDomainNonexistent\b|couldn't find a mail exchanger|\.\.\. host (?:unknown|not found)\b/i;
  return isMissing.test(text) || (status === '5.1.2' && /\bhost unknown\b/i.test(text)) ? 'no_dns_entries' : null;
}

type LocalReason =
  | 'no_dns_entries'
  | 'does_not_accept_mail'
  | 'dns_error'
  | 'failed_smtp_connection'
  | 'timeout_exceeded'
  | 'mail_server_temporary_error'
  | 'mailbox_not_found';

/** Failures that the reporting server found without a reply of another one. The first match counts. */
const localReasons: readonly [reason: LocalReason, words: RegExp][] = [
  ['does_not_accept_mail', /\bnull ?mx\b|\bdomain does(?: not|n't) accept (?:e?-?mail)/i],
  [
    'dns_error',
    /(?:name service error|dns|lookup|resolv|name server|mx record).{0,80}(?:try again|temporar|servfail|timed? ?out|timeout|could ?n[o']t|failure)|malformed or unexpected name server reply|(?:temporar|transient).{0,60}(?:lookup|resol|name service|dns)|host lookup did not complete/i,
  ],
  [
    'no_dns_entries',
    /host (?:or domain name )?not found|could ?n[o']t find any host named|no such (?:host|domain)|(?:domain|host)(?: name)? (?:\S+ )?(?:does(?: not|n't) exist|not found|could ?n[o']t be found|was not found|is (?:un(?:known|resolvable)|invalid))|(?:unknown|invalid|bad|non-?existent|unresolvable) (?:mail )?(?:host|domain)|unroute?able (?:mail )?domain|non-existent (?:hosts?|domain)|nxdomain|host unknown|name or service not known|no (?:relevant |valid )?mx (?:records?|hosts?)|dns(?:.{0,12})domain(?:.{0,4})does(?:.{0,4})not(?:.{0,4})exist|no mail (?:server|host|exchanger)s? (?:for|could|found)|couldn't find (?:the|a) (?:recipient )?domain/i,
  ],
  [
    'failed_smtp_connection',
    /connect(?:ion)? (?:timed? ?out|refused|reset|failed|dropped|lost|closed|was (?:closed|refused|dropped|lost))|(?:operation|timed) ?(?:out|timed out).{0,40}connect|no route to host|(?:network|host) (?:is )?unreachable|(?:un?able to|could ?n[o']t|cannot|can't|wasn't able to|not able to|failed to) (?:establish|make|open|connect)|not accept our requests to connect|socket error|lost connection|(?:server|host) (?:is )?not respond|conversation with .{0,80}timed out|connection died/i,
  ],
  [
    'timeout_exceeded',
    /retry time ?(?:out|not reached|exceeded)|queue(?:d)? (?:for )?too long|(?:in the|from) queue|too long (?:in|on)|(?:message|delivery|queue|envelope)(?: \w+)? (?:has )?(?:expired|timed out)|(?:retry|delivery) (?:time )?(?:limit|timeout|period)|could not be delivered (?:for too long|within)|(?:exceeded|maximum).{0,30}(?:time|hours|days|retries)|not delivered (?:with)?in|\b[45]\.4\.7\b|giving up/i,
  ],
  ['mailbox_not_found', /invalid (?:final delivery )?user ?id\b/i],
  [
    'mail_server_temporary_error',
    /loops? back|too many hops|(?:mail|routing|forwarding) loop|looping|\b5\.4\.6\b|hop count/i,
  ],
];

function readLocal({ status }: DeliveryFailure, text: string): LocalReason | null {
  const words = localReasons.find(([, pattern]) => pattern.test(text))?.[0] ?? null;
  if (words !== null) return words;
  if (status === '4.4.7' || status === '5.4.7') return 'timeout_exceeded';
  return status === '5.4.4' ? 'no_dns_entries' : null;
}

/** Carriers that say "user unknown" after DATA to senders that the user does not want. */
const filtersAfterData = /(?:^|\.)(?:docomo\.ne\.jp|ezweb\.ne\.jp|au\.com|mineo\.jp)$/;
const afterData = /in reply to (?:end of )?data|after (?:end of )?data|>>> data/i;

/** The reading of the reply, or of the words of the report; null if neither says anything. */
function readRemote(failure: DeliveryFailure, text: string, found: FoundReply | null): ReadingReason | null {
  const { recipient, status, remoteMta } = failure;
  const isGeneric = status === null || /\.0\.0$/.test(status);
  const replyText = found === null ? text : found.reply.replace(/^\d{3} /, '');
  const reply: SmtpReply = {
    stage: found?.stage ?? stageOf(text),
    code: found?.code ?? (status?.startsWith('4') ? 450 : 550),
    // A report invents its code for a reply without one: sendmail says 5.1.1 for every 550.
    enhanced: enhancedIn(replyText) ?? (found === null && !isGeneric ? status : null),
    text: replyText,
  };
  const domain = recipient.slice(recipient.lastIndexOf('@') + 1).toLowerCase();
  const providerRules =
    providerTraits(providerOf(domain, remoteMta.includes('.') ? [remoteMta.toLowerCase()] : []))?.replyRules ?? [];
  const reading = readReply(reply, { recipient, providerRules });
  if (found === null && saysNothing(reading)) return null;
  if (reading.reason === 'mailbox_not_found' && filtersAfterData.test(domain) && afterData.test(text))
    return 'antispam_system';
  if (/^5\.6\.[^7]/.test(reply.enhanced ?? '') && reading.reason === 'mail_server_temporary_error')
    return 'antispam_system';
  const isAboutReputation = reading.reason === 'rate_limited' && reply.enhanced?.slice(1).startsWith('.7.');
  return isAboutReputation ? 'antispam_system' : reading.reason;
}

/** The words name no cause, or the reading comes from the code that we gave to them. */
function saysNothing({ rule, vague, certainty }: Reading): boolean {
  return vague || rule.startsWith('basic:') || certainty < 0.6;
}
