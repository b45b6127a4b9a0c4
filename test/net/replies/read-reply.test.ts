import { describe, expect, test } from 'vitest';
import type { SmtpReply, SmtpStage } from '../../../src/model/evidence.js';
import { Failure } from '../../../src/model/failure.js';
import { parseReplyRules } from '../../../src/net/replies/match-phrase.js';
import { type PatternGroup, patternGroups } from '../../../src/net/replies/pattern-groups.js';
import { readReply } from '../../../src/net/replies/read-reply.js';
import type { ReadingReason } from '../../../src/net/replies/reading.js';
import { stripEchoedAddresses } from '../../../src/net/replies/strip-echoes.js';
import { parseReply } from '../../../src/net/smtp/reply-parser.js';
import { phraseTable } from './phrase-table.js';

const recipient = 'ghost@example.com';

function reply(text: string, stage: SmtpStage = 'rcpt'): SmtpReply {
  const parsed = parseReply(text, stage);
  if (parsed === null) throw new Error(`no reply: ${text}`);
  return parsed;
}

const meaningOf: Record<PatternGroup, ReadingReason[]> = {
  block_list: ['antispam_system', 'rate_limited'],
  reverse_dns: ['needs_reverse_dns'],
  client_ip: ['antispam_system'],
  greylist: ['greylisted'],
  come_back: ['greylisted'],
  temporary: ['mail_server_temporary_error'],
  restricted: ['restricted_recipient'],
  relay: ['antispam_system'],
  sender: ['sender_rejected'],
  filter: ['antispam_system'],
  session_limit: ['session_limit'],
  mailbox_busy: ['accepted'],
  hedged: ['antispam_system'],
  overfull: ['mailbox_quota_exceeded'],
  rate: ['rate_limited'],
  quota: ['mailbox_quota_exceeded'],
  unknown_client: ['antispam_system'],
  disabled: ['mailbox_disabled'],
  no_such_user: ['mailbox_not_found'],
  policy: ['antispam_system', 'exception_occurred'],
  unavailable: ['antispam_system'],
  unexplained: ['antispam_system'],
  takes_no_mail: ['does_not_accept_mail'],
  other_cause: ['antispam_system'],
  refusal: ['antispam_system'],
};

/** Examples that blame the host as a whole, although their phrase alone does not. */
const meaningOfExample: Record<string, ReadingReason[]> = {
  '554 disk full': ['mail_server_temporary_error'],
  '550 local configuration error': ['mail_server_temporary_error'],
  '550 system config error': ['mail_server_temporary_error'],
  '550 please retry': ['mail_server_temporary_error'],
  '550 limit reached': ['rate_limited'],
};

const rows = phraseTable().flatMap(({ group, phrase, replies }) =>
  replies.map((example) => ({ group, phrase, example })),
);

describe('the reply table', () => {
  test.each(rows)('$group: "$phrase" reads $example', ({ group, phrase, example }) => {
    // The row by itself must match its example, and the whole reading must agree with it.
    const rule = readReply(reply(`550 ${reply(example).text.replace(/[245]\.\d{1,3}\.\d{1,3}/g, '')}`), {
      recipient,
      extraRules: [{ group, phrase }],
    }).rule;
    expect(rule).toBe(`own:${group}`);
    expect(meaningOfExample[example] ?? meaningOf[group]).toContain(readReply(reply(example), { recipient }).reason);
  });

  test('no phrase occurs twice', () => {
    const phrases = phraseTable().map(({ group, phrase }) => `${group}: ${phrase}`);
    expect(phrases.filter((phrase, index) => phrases.indexOf(phrase) !== index)).toEqual([]);
  });

  test('every row has a known group, a language, a source and a reply that shows it', () => {
    for (const row of phraseTable()) {
      expect(patternGroups).toContain(row.group);
      expect(row.language, row.phrase).toMatch(/^[a-z]{2}$/);
      expect(row.source, row.phrase).not.toBe('');
      expect(row.replies.length, row.phrase).toBeGreaterThan(0);
    }
  });
});

describe('reading a reply to RCPT', () => {
  test.each<[text: string, reason: ReadingReason, rule: string]>([
    ['250 2.1.5 Ok', 'accepted', 'basic:250'],
    ['251 User not local; will forward', 'accepted', 'basic:251'],
    ['252 2.0.0 Cannot VRFY user', 'cannot_verify', 'basic:252'],
    // Enhanced codes.
    ['550 5.1.1 <ghost@example.com>: Recipient address rejected: User unknown', 'mailbox_not_found', 'enhanced:5.1.1'],
    [
      '550-5.1.1 The email account that you tried to reach does not exist.\n550 5.1.1 gsmtp',
      'mailbox_not_found',
      'enhanced:5.1.1',
    ],
    ['550 5.1.0 Address rejected.', 'mailbox_not_found', 'enhanced:5.1.0'],
    ['550 5.1.2 bad domain', 'mailbox_not_found', 'enhanced:5.1.2'],
    ['553 5.1.2 Unrecognized host name example.com', 'mailbox_not_found', 'enhanced:5.1.2'],
    ['553 5.1.3 Local part must not begin with a dot', 'mailbox_not_found', 'enhanced:5.1.3'],
    ['553 5.1.3 Colon illegal in host name part', 'mailbox_not_found', 'enhanced:5.1.3'],
    ['553 5.1.0 Address "ghost" too long (256 bytes max)', 'mailbox_not_found', 'enhanced:5.1.0'],
    [
      "553 5.1.2 We weren't able to find the recipient domain. Please check for any spelling errors, and make sure you didn't enter any spaces.",
      'mailbox_not_found',
      'enhanced:5.1.2',
    ],
    ['503 5.7.0 Error: access denied for mail.example.org[192.0.2.1]', 'antispam_system', 'text:unexplained'],
    ['451 4.1.8 Possibly forged hostname for 192.0.2.1', 'needs_reverse_dns', 'text:reverse_dns'],
    ['550 5.1.8 no PTR record for 192.0.2.1', 'needs_reverse_dns', 'text:reverse_dns'],
    ["553 5.0.0 Unbalanced '<'", 'exception_occurred', 'basic:553'],
    ['550 Could not parse your RCPT TO command', 'exception_occurred', 'basic:550'],
    ["452 I don't take more than 20 RCPTs", 'rate_limited', 'basic:452'],
    ['450 4.7.1 sorry, max 1.5mb per 10 minutes', 'rate_limited', 'basic:450'],
    ['550 该用户在本服务器不存在', 'mailbox_not_found', 'text:no_such_user'],
    ['501 5.1.3 Bad recipient address syntax', 'mailbox_not_found', 'enhanced:5.1.3'],
    ['551 5.1.6 moved', 'mailbox_not_found', 'enhanced:5.1.6'],
    ['550 sorry, no mailbox here by that name (#5.1.1)', 'mailbox_not_found', 'enhanced:5.1.1'],
    ['556 5.1.10 no mail here', 'does_not_accept_mail', 'enhanced:5.1.10'],
    ['556 Domain does not take mail', 'does_not_accept_mail', 'basic:556'],
    ['556 remote ip check error', 'antispam_system', 'text:other_cause'],
    ['556 5.1.0 Rejected by policy', 'antispam_system', 'text:filter'],
    ['556 no', 'does_not_accept_mail', 'basic:556'],
    ['556 denied', 'antispam_system', 'text:refusal'],
    ['556 5.1.0 <ann@example.com>: Recipient address rejected: no mail here', 'does_not_accept_mail', 'basic:556'],
    ['550 5.2.1 The email account that you tried to reach is inactive', 'mailbox_disabled', 'enhanced:5.2.1'],
    ['552 5.2.2 full', 'mailbox_quota_exceeded', 'enhanced:5.2.2'],
    ['452 4.2.2 full', 'mailbox_quota_exceeded', 'enhanced:4.2.2'],
    [
      '550 5.4.1 Recipient address rejected: Access denied. AS(201806281) [DB5.eop]',
      'mailbox_not_found',
      'enhanced:5.4.1',
    ],
    ['550 5.4.1 no answer from host', 'mail_server_temporary_error', 'enhanced:5.4.1'],
    ['452 4.5.3 domain has too many recipients', 'session_limit', 'enhanced:4.5.3'],
    ['550 5.5.3 no more', 'session_limit', 'enhanced:5.5.3'],
    ['553 5.6.7 SMTPUTF8 is needed', 'exception_occurred', 'enhanced:5.6.7'],
    ['550 5.7.25 refused', 'needs_reverse_dns', 'enhanced:5.7.25'],
    ['450 4.7.25 refused', 'needs_reverse_dns', 'enhanced:4.7.25'],
    ['550 5.7.28 slow down', 'rate_limited', 'enhanced:5.7.28'],
    ['550 5.7.26 unauthenticated', 'sender_rejected', 'enhanced:5.7.26'],
    ['550 5.7.27 null MX', 'sender_rejected', 'enhanced:5.7.27'],
    ['450 4.1.8 <a@b>: Sender address rejected: Domain not found', 'sender_rejected', 'enhanced:4.1.8'],
    ['554 5.3.2 overloaded', 'mail_server_temporary_error', 'enhanced:5.3.2'],
    ['550 5.3.0 No such user here', 'mailbox_not_found', 'text:no_such_user'],
    // RFC 7504: 521 refuses all mail, whatever the enhanced code. Words about the mailbox are more specific.
    ['521 5.2.1 : (CON:B1) see the postmaster pages', 'antispam_system', 'basic:521'],
    ['521 5.1.1 your IP is blocked', 'antispam_system', 'text:block_list'],
    ['521 5.1.1 no such user', 'mailbox_not_found', 'enhanced:5.1.1'],
    // A bare deferral is greylisting, unless it names a fault of the host.
    ['451 Temporary failure, please try again later', 'greylisted', 'basic:451'],
    ['450 4.7.1 <dns@example.net>: Recipient address rejected', 'greylisted', 'basic:450'],
    ['451 4.7.1 database error', 'mail_server_temporary_error', 'basic:451'],
    ['451 System busy, try again later.', 'mail_server_temporary_error', 'basic:451'],
    ["451 Can't reach the store", 'mail_server_temporary_error', 'basic:451'],
    ['450 4.3.0 temporary error', 'mail_server_temporary_error', 'enhanced:4.3.0'],
    ['450 4.2.1 relay limit exceeded, a temporary error', 'rate_limited', 'text:rate'],
    // A missing domain is that of the sender, unless the code is about the destination.
    ['550 Domain does not exist', 'sender_rejected', 'text:sender'],
    ['550 5.4.310 DNS domain does not exist', 'mail_server_temporary_error', 'enhanced:5.4.310'],
    ['451 delivery failed', 'mail_server_temporary_error', 'basic:451'],
    ['450 4.7.1 Client host rejected: may not be mail exchanger', 'antispam_system', 'text:unknown_client'],
    // A refusal is not a syntax error, and the content of a message is not a fault of the host.
    ['501 Denied domain name', 'antispam_system', 'text:other_cause'],
    ['501 Syntax error in your parameters', 'exception_occurred', 'basic:501'],
    ['501 what', 'exception_occurred', 'basic:501'],
    ['552 5.3.4 we do not take such content', 'antispam_system', 'text:policy'],
    // A code of "not found" with words about the client is about the client.
    ['550 5.1.1 blocked using zen.spamhaus.org', 'antispam_system', 'text:block_list'],
    ['550 5.2.1 blocked using zen.spamhaus.org', 'antispam_system', 'text:block_list'],
    ['550 5.2.1 over quota', 'mailbox_quota_exceeded', 'text:quota'],
    ['550 5.1.0 Sender rejected', 'sender_rejected', 'text:sender'],
    ['550 5.1.0 Rejected by policy', 'antispam_system', 'text:filter'],
    ['550 5.1.1 mailbox over quota', 'mailbox_quota_exceeded', 'text:quota'],
    ['550 5.1.1 <ghost@example.com> 192.0.2.1 has sent to too many recipients', 'session_limit', 'text:session_limit'],
    ['550 5.1.0 Message rejected due to policy', 'antispam_system', 'text:filter'],
    ['550 5.1.1 <ghost@example.com>: message blocked as spam', 'antispam_system', 'text:filter'],
    ['550 5.1.1 <ghost@example.com>: Access denied', 'mailbox_not_found', 'enhanced:5.1.1'],
    ['550 5.1.1 Your message cannot be delivered', 'mailbox_not_found', 'enhanced:5.1.1'],
    ['550 5.5.3 sorry, that domain is not in my list of allowed rcpthosts', 'antispam_system', 'text:relay'],
    // Words for a temporary cause contradict a permanent code, too.
    ['550 5.1.1 Address temporarily unavailable', 'mail_server_temporary_error', 'enhanced:5.1.1'],
    ['550 5.1.1 Temporary lookup failure', 'mail_server_temporary_error', 'enhanced:5.1.1'],
    ['550 5.2.1 Mailbox busy, please try later', 'mail_server_temporary_error', 'enhanced:5.2.1'],
    ['550 mailbox unavailable. Try again later', 'mail_server_temporary_error', 'text:unavailable'],
    ['550 Temporary local problem', 'mail_server_temporary_error', 'text:temporary'],
    ['550 5.1.1 User unknown, try again later', 'mailbox_not_found', 'enhanced:5.1.1'],
    ['550 5.2.1 mailbox temporarily disabled', 'mail_server_temporary_error', 'enhanced:5.2.1'],
    // If a code has several meanings, the words decide.
    ['550 5.1.10 RESOLVER.ADR.RecipientNotFound; not found', 'mailbox_not_found', 'text:no_such_user'],
    ['550 5.2.1 <ghost@example.com>... Addressee unknown', 'mailbox_not_found', 'text:no_such_user'],
    // Words of absence about the client.
    ['550 5.1.1 Sender address does not exist', 'sender_rejected', 'text:sender'],
    ['550 5.1.0 Sender unknown', 'antispam_system', 'text:unknown_client'],
    ['550 5.2.1 your account is disabled', 'antispam_system', 'text:unknown_client'],
    ['550 <ghost@example.com> does not exist on this host', 'mailbox_not_found', 'text:no_such_user'],
    ['550 192.0.2.1 is in the blackhole database', 'antispam_system', 'text:other_cause'],
    [
      '550-Requested action not taken: mailbox unavailable\n550 Reject due to policy restrictions.',
      'antispam_system',
      'text:filter',
    ],
    // Quota of the mailbox, not of the sender or the host; a mailbox that is too busy exists.
    ['550 User has too many messages on the server', 'mailbox_quota_exceeded', 'text:overfull'],
    ['550 5.1.1 too many messages in this mailbox', 'mailbox_quota_exceeded', 'text:overfull'],
    ['550 5.4.5 Daily SMTP relay quota exceeded', 'rate_limited', 'text:rate'],
    ['452 insufficient disk space', 'mail_server_temporary_error', 'basic:452'],
    ['452 4.2.2 sender is over its quota', 'rate_limited', 'text:rate'],
    ['550 5.2.2 sender is over its quota', 'rate_limited', 'text:rate'],
    ['550 5.2.1 The user you are trying to contact is receiving mail at a rate', 'accepted', 'text:mailbox_busy'],
    ['550 5.7.1 user is receiving mail too quickly', 'accepted', 'text:mailbox_busy'],
    ['550 5.2.1 we will not accept delivery of this message', 'antispam_system', 'text:policy'],
    ['550 5.2.1 Service unavailable, we do not take email over IPv6', 'antispam_system', 'text:other_cause'],
    ['554 5.3.2 we do not accept connections from your IP', 'antispam_system', 'text:block_list'],
    // Words of absence with words about the client, a filter, or other causes.
    [
      '553 The user is not allowed to receive this mail because of the filtering policy',
      'antispam_system',
      'text:filter',
    ],
    ['550 5.1.1 user unknown, your message is spam', 'antispam_system', 'text:filter'],
    ['550 The account may not exist, or be blocked', 'antispam_system', 'text:hedged'],
    ['450 The account may not exist', 'greylisted', 'basic:450'],
    ['452 The account may not exist', 'mail_server_temporary_error', 'text:hedged'],
    // Words glued to an address.
    ['550 User not found:ghost@example.com', 'mailbox_not_found', 'text:no_such_user'],
    ['550 User not found:other@example.net', 'mailbox_not_found', 'text:no_such_user'],
    ['550 other@example.net:user not exist', 'mailbox_not_found', 'text:no_such_user'],
    ['550 failure (other@example.net:blocked)', 'antispam_system', 'text:policy'],
    ['550 other@example.net...User unknown', 'mailbox_not_found', 'text:no_such_user'],
    // 5.7.x: the words decide, and without words it is policy.
    ['550 5.7.1 No such user!', 'mailbox_not_found', 'text:no_such_user'],
    [
      '550 5.7.1 <ghost@example.com>: Recipient address rejected: no such user here',
      'mailbox_not_found',
      'text:no_such_user',
    ],
    ['550 5.7.1 refused', 'antispam_system', 'enhanced:5.7.1'],
    ['554 5.7.1 <ghost@example.com>: Recipient address rejected: Access denied', 'antispam_system', 'text:unexplained'],
    ['550 5.5.1 Protocol error', 'antispam_system', 'text:policy'],
    ['503 5.5.1 Bad sequence of commands', 'exception_occurred', 'basic:503'],
    // Refusals without a cause are about the client, unless they name the recipient and a random mailbox gets the same.
    ['550 Denied', 'antispam_system', 'text:refusal'],
    ['550 Recipient rejected', 'antispam_system', 'text:unexplained'],
    ['550 5.7.1 Recipient rejected', 'antispam_system', 'text:unexplained'],
    ['550 5.5.4 no', 'exception_occurred', 'enhanced:5.5.4'],
    ['504 5.5.2 <x>: Helo command rejected: need fully-qualified hostname', 'sender_rejected', 'text:sender'],
    ['550 Sender verify failed', 'sender_rejected', 'text:sender'],
    ['454 4.7.1 <ghost@example.com>: Relay access denied', 'antispam_system', 'text:relay'],
    ['530 5.7.0 Must issue a STARTTLS command first', 'antispam_system', 'text:policy'],
    // Basic codes.
    ['550 no', 'antispam_system', 'basic:550'],
    ['554 no', 'antispam_system', 'basic:554'],
    ['552 no', 'mailbox_quota_exceeded', 'basic:552'],
    ['552 denied', 'antispam_system', 'text:refusal'],
    ['552 message filtered', 'antispam_system', 'text:other_cause'],
    ['500 no', 'exception_occurred', 'basic:500'],
    ['501 no', 'exception_occurred', 'basic:501'],
    ['502 no', 'exception_occurred', 'basic:502'],
    ['503 no', 'exception_occurred', 'basic:503'],
    ['504 no', 'exception_occurred', 'basic:504'],
    // 4xx never proves an absence.
    ['450 4.1.1 <ghost@example.com>: User unknown', 'mail_server_temporary_error', 'text:no_such_user'],
    ['450 4.2.1 mailbox disabled', 'mail_server_temporary_error', 'text:disabled'],
    ['450 4.2.1 The user you are trying to contact is receiving mail at a rate', 'accepted', 'text:mailbox_busy'],
    ['450 please wait', 'greylisted', 'basic:450'],
    ['450 Reject due to policy violations', 'antispam_system', 'text:filter'],
    ['450 Reject due to policy violations, try again', 'greylisted', 'basic:450'],
    ['450 4.7.1 your server is unknown, please wait', 'greylisted', 'basic:450'],
    ['451 4.7.1 Try again later', 'greylisted', 'basic:451'],
    ['451 4.3.0 Error: queue file write error', 'mail_server_temporary_error', 'enhanced:4.3.0'],
    ['450 4.3.2 Service currently unavailable', 'mail_server_temporary_error', 'enhanced:4.3.2'],
    ['421 4.7.28 too fast', 'rate_limited', 'enhanced:4.7.28'],
    ['421 4.7.0 mx Error: too many errors', 'rate_limited', 'text:rate'],
    ['421 4.7.1 Try again later', 'greylisted', 'basic:421'],
    ['421 4.7.0 Try again later', 'antispam_system', 'enhanced:4.7.0'],
    ['421 closing', 'mail_server_temporary_error', 'basic:421'],
    ['354 go ahead', 'exception_occurred', 'basic:354'],
  ])('%s → %s', (text, reason, rule) => {
    expect(readReply(reply(text), { recipient })).toMatchObject({ reason, rule });
  });

  const unavailable = '550 mailbox unavailable';
  const postmaster = (text: string) => ({ mailbox: 'postmaster' as const, reply: reply(text) });
  test.each([
    { random: unavailable, known: '250 ok', want: 'mailbox_not_found', vague: false },
    { random: unavailable, known: unavailable, want: 'antispam_system', vague: false },
    { random: unavailable, known: '450 later', want: 'antispam_system', vague: false },
    { random: unavailable, known: null, want: 'antispam_system', vague: true },
    { random: '250 ok', known: '250 ok', want: 'antispam_system', vague: false },
    { random: '450 no', known: '250 ok', want: 'antispam_system', vague: false },
    { random: '553 no', known: '250 ok', want: 'antispam_system', vague: false },
    { random: '550 blocked using zen.spamhaus.org', known: '250 ok', want: 'antispam_system', vague: false },
    { random: '550 5.1.1 User unknown', known: '250 ok', want: 'antispam_system', vague: false },
    { random: null, known: '250 ok', want: 'antispam_system', vague: true },
  ])('550 no, with "$random" for a random mailbox and "$known" for a known one → $want', (row) => {
    const { random, known, want, vague } = row;
    const controls = {
      random: random === null ? null : reply(random),
      knownMailbox: known === null ? null : postmaster(known),
    };
    expect(readReply(reply('550 mailbox unavailable'), { recipient, ...controls })).toMatchObject({
      reason: want,
      vague,
    });
  });

  test.each([
    ['550 mailbox unavailable', true],
    ['551 no', true],
    ['553 no', true],
    ['550 mailbox unavailable', true],
    ['550 Recipient rejected', true],
    ['550 Address rejected', true],
    ['550 5.7.1 Address rejected', true],
    ['550 Access denied', true],
    ['550 not allowed', true],
    ['550 recipient cannot be verified', true],
    ['550 5.0.0 no', true],
    ['554 5.0.0 no', true],
    ['550 5.1.4 ambiguous', true],
    ['550 5.2.4 no', true],
    ['550 5.5.0 no', true],
    ['550 Denied', true],
    ['550 5.0.0 Denied', true],
    ['550 5.7.1 Denied', false],
    ['554 Denied', false],
    ['550 mailbox unavailable for policy reasons', false],
    ['550 5.1.1 User unknown', false],
    ['550 5.0.0 User unknown', false],
    ['550 5.5.0 blocked using zen.spamhaus.org', false],
    ['450 no', false],
    ['250 ok', false],
  ])('%s is vague: %s', (text, vague) => {
    expect(readReply(reply(text), { recipient }).vague).toBe(vague);
  });

  test('a bare refusal is believed only if the host is known to accept a mailbox', () => {
    const denied = reply('550 Recipient denied');
    expect(readReply(denied, { recipient, random: denied })).toMatchObject({ reason: 'antispam_system', vague: true });
    const controls = { random: denied, knownMailbox: postmaster('250 ok') };
    expect(readReply(denied, { recipient, ...controls })).toMatchObject({ reason: 'mailbox_not_found', vague: false });
  });

  test('a host may exempt postmaster from its policy: only another accepted mailbox shows what 5.7 means', () => {
    const denied = reply('550 5.7.1 Access denied');
    const beside = { recipient, random: denied };
    expect(readReply(denied, { ...beside, knownMailbox: postmaster('250 ok') }).reason).toBe('antispam_system');
    const other = { mailbox: 'accepted_before' as const, reply: reply('250 ok') };
    expect(readReply(denied, { ...beside, knownMailbox: other }).reason).toBe('mailbox_not_found');
  });

  test.each([
    ['not relaying to that domain', 'antispam_system'],
    ['not a local domain', 'antispam_system'],
    ['Internal error', 'mail_server_temporary_error'],
    ['LDAP lookup failed, try again', 'antispam_system'],
    ['SMTP AUTH is required', 'antispam_system'],
    ['early talker', 'antispam_system'],
  ])('a refusal of every recipient, such as 550 %s, is never about the mailbox', (words, reason) => {
    const refusal = reply(`550 ${words}`);
    expect(readReply(refusal, { recipient, random: refusal }).reason).toBe(reason);
  });

  test.each([
    '550 The policy does not exist',
    '550 The IP you use does not exist in our list',
    '550 Authorization does not exist for relaying to us',
    '550 this server has been retired',
  ])('something other than a mailbox is missing: %s', (text) => {
    expect(readReply(reply(text), { recipient }).reason).not.toMatch(/^mailbox_/);
  });

  test('a denial that names only the recipient is compared with the control mailboxes', () => {
    const refusal = reply('550 recipient <ghost@example.com> denied');
    const random = reply('550 recipient <zoluku@example.com> denied');
    expect(readReply(refusal, { recipient, random })).toMatchObject({ reason: 'antispam_system', vague: true });
    const known = postmaster('250 ok');
    expect(readReply(refusal, { recipient, random, knownMailbox: known }).reason).toBe('mailbox_not_found');
  });

  test('5.6.7 is about addresses that are not ASCII', () => {
    expect(readReply(reply('553 5.6.7 no'), { recipient: 'jürgen@example.com' }).reason).toBe('smtputf8_unsupported');
    const words = '533 no support for internationalised mailbox name';
    expect(readReply(reply(words), { recipient: 'jürgen@example.com' }).reason).toBe('smtputf8_unsupported');
    expect(readReply(reply(words), { recipient }).reason).toBe('exception_occurred');
    const sender = '550 Sender rejected: internationalized address';
    expect(readReply(reply(sender), { recipient: 'jürgen@example.com' }).reason).toBe('sender_rejected');
  });

  test('451 is not greylisting after the first contact', () => {
    expect(readReply(reply('451 wait'), { recipient, firstContact: false }).reason).toBe('mail_server_temporary_error');
    expect(readReply(reply('451 4.7.1 wait'), { recipient, firstContact: false }).reason).toBe('antispam_system');
  });

  test.each([
    ['451 4.7.1 Greylisting in action, please come back in 00:04:59', 299],
    ['451 Greylisted, try again in 5 minutes', 300],
    ['450 4.7.1 Greylisted for 120 seconds', 120],
    ['450 4.2.0 Greylisted', 60],
    ['451 4.7.1 Greylisted, try again in 1 hour', 3_600],
    ['450 4.3.2 Too many mails (mail bomb), try again in 1 hour(s) 25 min', 5_100],
    ['451 4.7.1 Try again later (Aug 22 14:05:10, MSK)', 60],
    ['450 4.7.1 Greylisted at 13:05:10, come back in 2 minutes', 120],
    ['451 4.7.1 max number of messages (1000) over past 24h reached', 300],
    ['550 5.1.1 try in 5 minutes', null],
  ])('%s → wait %s s', (text, seconds) => {
    expect(readReply(reply(text), { recipient }).retryAfterSeconds).toBe(seconds);
  });
});

describe('echoed addresses are not read as words', () => {
  test.each([
    ['greylist@example.com', '550 5.7.1 <greylist@example.com>: no such user', 'mailbox_not_found'],
    ['quota@full.example', '550 5.7.1 quota@full.example unknown user', 'mailbox_not_found'],
    ['disabled@example.com', '550 <disabled>: user unknown', 'mailbox_not_found'],
    ['quota@example.com', '550 quota... User unknown', 'mailbox_not_found'],
    ['greylist@example.com', '550 greylist: user unknown', 'mailbox_not_found'],
    ['relay@spamhaus.example', '550 user unknown at mx.spamhaus.example', 'mailbox_not_found'],
    ['ghost@example.com', '550 5.7.1 <ghost@example.com> refused', 'antispam_system'],
    ['user@example.com', '550 <user@example.com>: no such user', 'mailbox_not_found'],
    ['blocked@blacklist.example', '250 ok <blocked@blacklist.example>', 'accepted'],
    ['"no such user"@example.com', '550 5.7.1 <"no such user"@example.com> refused', 'antispam_system'],
    ['pending@example.com', '550 5.1.1 <pending@example.com>: user unknown', 'mailbox_not_found'],
    ['outgoing@example.com', '550 5.2.1 <outgoing@example.com>: account disabled', 'mailbox_disabled'],
  ])('%s in %s → %s', (address, text, reason) => {
    expect(readReply(reply(text), { recipient: address }).reason).toBe(reason);
  });

  test.each([
    ['421 mx.greylist.example closing', 'mail_server_temporary_error'],
    ['550 MX.GREYLIST.EXAMPLE: no such user', 'mailbox_not_found'],
    ['421 greylist: mx.greylist.example closing', 'greylisted'],
  ])('the host names itself: %s → %s', (text, reason) => {
    expect(readReply(reply(text), { recipient, hostName: 'mx.greylist.example' }).reason).toBe(reason);
  });

  test('our own names are removed, too', () => {
    const text = 'host spam.our.example 192.0.2.7 2001:db8::7 refused';
    const stripped = stripEchoedAddresses(text, { recipient, ourIp: '192.0.2.7', ourName: 'spam.our.example' });
    expect(stripped.split(/\s+/)).toEqual(['host', 'refused']);
  });
});

test('the same sentence is read anew where what it echoes differs', () => {
  const read = (text: string, context: object) => readReply(reply(text), { recipient, ...context }).reason;
  const missing = '550 5.7.1 could not find address for mail.example.org';
  expect(read(missing, {})).toBe('mailbox_not_found');
  expect(read(missing, { ourName: 'mail.example.org' })).toBe('antispam_system');
  expect(read('451 4.7.1 please wait', { firstContact: true })).toBe('greylisted');
  expect(read('451 4.7.1 please wait', { firstContact: false })).not.toBe('greylisted');
});

test.each<[stage: SmtpStage, text: string, reason: ReadingReason]>([
  ['banner', '554 5.7.1 No such user', 'antispam_system'],
  ['banner', '554 no SMTP service here', 'antispam_system'],
  ['banner', '421 4.7.0 too many connections', 'rate_limited'],
  ['banner', '421 busy', 'mail_server_temporary_error'],
  ['banner', '421 rejected by policy', 'antispam_system'],
  ['banner', '421 rejected by policy, try later', 'mail_server_temporary_error'],
  ['banner', '550 no PTR record', 'needs_reverse_dns'],
  ['ehlo', '550 bad', 'sender_rejected'],
  ['ehlo', '550 blocked using a blacklist', 'antispam_system'],
  ['mail', '550 5.1.1 user unknown', 'sender_rejected'],
  ['mail', '451 4.7.1 Greylisted', 'greylisted'],
  ['mail', '530 5.7.0 Must issue a STARTTLS command first', 'antispam_system'],
  ['mail', '550 5.7.1 x', 'sender_rejected'],
  ['mail', '550 sender unknown', 'sender_rejected'],
  ['mail', '550 5.7.25 x', 'needs_reverse_dns'],
  ['mail', '553 5.1.8 x', 'sender_rejected'],
  ['mail', '450 4.7.27 x', 'sender_rejected'],
  ['mail', '421 4.7.0 session limit reached', 'rate_limited'],
])('before RCPT, a refusal is about the client: %s: %s → %s', (stage, text, reason) => {
  expect(readReply(reply(text, stage), { recipient }).reason).toBe(reason);
});

test.each<[text: string, reason: ReadingReason]>([
  ['550 The e-mail account has been suspended', 'mailbox_disabled'],
  ['550 suspended local mail box', 'mailbox_disabled'],
  ["550 this recipient's mailbox is currently frozen", 'mailbox_disabled'],
  ['550 user name not registered', 'mailbox_not_found'],
  ['550 this is not a valid e-mail id', 'mailbox_not_found'],
  ['550 no such local part', 'mailbox_not_found'],
  // Neither our own names nor requested addresses.
  ['550 your account is suspended', 'antispam_system'],
  ['550 IP address is not registered', 'antispam_system'],
  ['550 5.7.1 unusual invalid recipients', 'antispam_system'],
])('all terms for a mailbox mean the same: %s → %s', (text, reason) => {
  expect(readReply(reply(text), { recipient }).reason).toBe(reason);
});

describe('rows of the user', () => {
  test('are read from lines, after comments', () => {
    expect(parseReplyRules('# ours\n\nno_such_user: left … company\r\n quota:  brim* ')).toEqual([
      { group: 'no_such_user', phrase: 'left … company' },
      { group: 'quota', phrase: 'brim*' },
    ]);
  });

  test.each(['no_such_user left', 'nonsense: x', 'quota:', 'quota: …', ': x'])(
    '"%s" is refused with its line number',
    (line) => {
      expect(() => parseReplyRules(`# first\n${line}`)).toThrow(Failure);
      expect(() => parseReplyRules(`# first\n${line}`)).toThrow(/Line 2 /);
    },
  );

  test.each(['e mail is gone', 'e-mail  IS gone', 'E-Mail … gone', 'email is go*'])(
    '"%s" matches an e-mail that is gone',
    (phrase) => {
      const extraRules = [{ group: 'no_such_user' as const, phrase }];
      expect(readReply(reply('554 this e-mail is gone'), { recipient, extraRules }).reason).toBe('mailbox_not_found');
    },
  );

  test('take precedence over ours, but never make a 4xx final', () => {
    const extraRules = parseReplyRules('no_such_user: has left');
    expect(readReply(reply('554 5.7.1 she has left'), { recipient, extraRules }).reason).toBe('mailbox_not_found');
    expect(readReply(reply('450 she has left'), { recipient, extraRules }).reason).toBe('mail_server_temporary_error');
  });
});

describe('the phrase that decided a reply', () => {
  const extraRules = [{ group: 'quota' as const, phrase: 'to the brim' }];
  test.each([
    { text: '552 mailbox over quota', want: 'over quota' },
    { text: '550 Użytkownik nie istnieje', want: 'nie istnieje' },
    { text: '550 filled to the brim', want: 'to the brim' },
    { text: '550 mailbox unavailable', want: 'mailbox unavailable' },
    { text: '550 mailbox unavailable. Try again later', want: 'mailbox unavailable' },
    { text: '450 no such user', want: 'no such user' },
    { text: '550 all is well', want: null },
    { text: '550 <over quota@example.com> all is well', want: null },
    { text: '552 5.2.2 mailbox over quota', want: null },
    { text: '250 over quota', want: null },
  ])('$text: $want', ({ text, want }) => {
    expect(readReply(reply(text), { recipient: 'over quota@example.com', extraRules }).phrase).toBe(want);
  });
});
