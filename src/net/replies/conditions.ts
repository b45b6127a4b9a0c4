import { hasOnlyWords, isHedged, wordsAgree } from './agreement.js';
import { matchPhrase } from './match-phrase.js';
import { fold } from './phrases.js';
import { isAbout, type ProviderReplyRule, type ReplyFacts } from './reading.js';
import { stripEchoedAddresses } from './strip-echoes.js';
import { says } from './word-lists.js';

/** RFC 3463 §3.2 (bad sender), RFC 7372 (sender authentication), RFC 7505 §4.2 (sender with a null MX). */
const senderDetails = new Set(['1.7', '1.8', '7.20', '7.21', '7.22', '7.23', '7.24', '7.26', '7.27']);
/** Hosts say it of missing, full and busy mailboxes, with any code. */
const notAvailable = /\b(?:un|not )available\b/;

/** The conditions that rows of `data/rules.tsv` name. */
export const conditions = {
  afterBanner: ({ reply }) => reply.stage === 'mail' || reply.stage === 'ehlo',
  international: ({ context }) => /[^ -~]/.test(context.recipient),
  userRule: ({ match }) => match?.isUserRule === true,
  providerRule: (facts) => providerRule(facts) !== undefined,
  /** sendmail gives 4.1.8 to a client without reverse DNS as well. */
  senderCode: ({ detail, group }) => senderDetails.has(detail) && group !== 'reverse_dns',
  transient: isTransient,
  hedged: ({ bare }) => isHedged(bare),
  saysPlainly,
  /** Postfix with `soft_bounce` or `unverified_recipient_reject_code = 450` says `450 4.1.1 … User unknown` of any missing mailbox. */
  saysAbsent: ({ reply, match, bare }) =>
    wordsAgree(reply, match, bare) &&
    !isHedged(bare) &&
    !says('lookup_fault', reply.text) &&
    !says('transient', reply.text),
  onlyNoMail: ({ reply, bare }) => hasOnlyWords(reply.text, bare, 'no_mail'),
  onlyNotAvailable: ({ reply, bare }) => notAvailable.test(bare) && hasOnlyWords(reply.text, bare, 'plain'),
  /** RFC 7504 §5: 556 is about the domain, unless the words name something else. */
  takesNoMail: (facts) => {
    const { reply, group, bare } = facts;
    if (reply.code !== 556 || says('sender_domain', reply.text) || (group !== null && group !== 'takes_no_mail'))
      return false;
    return !notAvailable.test(bare) && hasOnlyWords(reply.text, bare, 'no_mail');
  },
  /** Directory-based edge blocking: `550 5.4.1 Recipient address rejected: Access denied`. */
  exchangeDenial: ({ reply: { text }, context }) =>
    /access denied/i.test(text) &&
    (/\.eop\b|\.protection\.outlook\.com\b|\bEXOSmtpErrors\b|\bAS\(\d{6,}\)/i.test(text) ||
      isExchangeHost(context.hostName)),
  smtpUtf8: ({ reply, detail, group }) =>
    detail === '6.7' || (!(group !== null && isAbout('client', group)) && says('smtputf8', reply.text)),
  exceedsLimit: ({ bare }) => exceedsLimit(bare),
  countsTraffic: ({ reply }) => countsTraffic(reply.text),
  trafficComesBack: ({ reply, group }) => group === 'come_back' && countsTraffic(reply.text),
  /** RFC 3463 §3.4: with 4.3 these groups are about the host's own state. */
  hostState: ({ detail, group }) =>
    detail.startsWith('3.') && group !== null && ['come_back', 'overfull', 'quota'].includes(group),
  judged: isJudged,
  mayGreylist: ({ reply, detail, context }) =>
    (reply.code === 450 || reply.code === 451) &&
    context.firstContact !== false &&
    (detail === '' || detail === '0.0' || detail.startsWith('7.')),
  namesFault,
} satisfies Record<string, (facts: ReplyFacts) => boolean>;

/** Whether a mail host belongs to Exchange Online. */
export function isExchangeHost(hostName = ''): boolean {
  return /(?:\.protection\.outlook\.com|\.mx\.microsoft)$/i.test(hostName);
}

export function providerRule({ reply, bare, context }: ReplyFacts): ProviderReplyRule | undefined {
  const { providerRules = [] } = context;
  if (providerRules.length === 0) return undefined;
  const text = fold(bare);
  return providerRules.find(
    ({ enhanced, words }) => (enhanced === undefined || enhanced === reply.enhanced) && text.includes(` ${words} `),
  );
}

/** Temporary words contradict a permanent code, unless they are about the mailbox. */
function isTransient({ reply, group }: ReplyFacts): boolean {
  if (group !== null && isAbout('mailbox', group)) return false;
  return group === 'temporary' || says('transient', reply.text);
}

/** A line of a longer reply with its own code, which the other lines cannot override: `5.1.1 User unknown`. */
function saysPlainly({ reply, context }: ReplyFacts): boolean {
  // After a colon, a bracket or a basic code a host quotes the reply of another one.
  const lines = reply.text.split(/(?<![:([]|\b[245]\d\d) (?=5\.\d\.\d{1,3} )/);
  return (
    lines.length > 1 &&
    lines.some((line) => {
      if (!line.startsWith('5.1.1 ')) return false;
      const bare = stripEchoedAddresses(line, context);
      return matchPhrase(bare)?.group === 'no_such_user' && hasOnlyWords(line, bare, 'plain') && !isHedged(bare);
    })
  );
}

/** A filter or a rule about unknown clients decided, and not a fault: `policy analysis reports temporary DNS error`. */
function isJudged({ reply, detail, group }: ReplyFacts): boolean {
  const { text } = reply;
  const isFiltered =
    (group === 'filter' || group === 'policy') &&
    !says('server_fault', text) &&
    !/\btemporary (?:\w+ )?(?:error|failure|problem)\b/i.test(text) &&
    !detail.startsWith('3.');
  // Postfix says `Client host rejected: Service unavailable` for anything that it defers.
  return (isFiltered || group === 'unknown_client') && !says('retry', text) && !/\bservice unavailable\b/i.test(text);
}

/** It names a fault of the host. Greylisting hosts name none. */
function namesFault({ bare, group }: ReplyFacts): boolean {
  if (says('fault', bare) || says('server_fault', bare)) return true;
  if ((group !== null && group !== 'other_cause') || says('retry', bare)) return false;
  if (says('weak_fault', bare) && !/\btempora/i.test(bare)) return true;
  // It says more than that the mail is deferred.
  return !says('deferral', bare) && (bare.match(/[a-z]{3,}/gi) ?? []).length >= 3;
}

/** It counts our traffic: `only 20 recipients an hour`, `you sent 100 messages today`, `the limit was reached`. */
function countsTraffic(text: string): boolean {
  return (says('counted', text) && says('limit', text)) || exceedsLimit(text);
}

/** A limit is reached that is not one of size: `daily limit reached`. */
function exceedsLimit(text: string): boolean {
  return (says('over_limit', text) && !says('size_limit', text)) || says('rate_limit', text);
}
