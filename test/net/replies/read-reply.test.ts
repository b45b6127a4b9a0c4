import { describe, expect, test } from 'vitest';
import type { SmtpReply, SmtpStage } from '../../../src/model/evidence.js';
import { Failure } from '../../../src/model/failure.js';
import { parseReplyRules } from '../../../src/net/replies/match-phrase.js';
import { anyMailbox, compilePhrase } from '../../../src/net/replies/phrases.js';
import { readReply } from '../../../src/net/replies/read-reply.js';
import type { ReadingReason } from '../../../src/net/replies/reading.js';
import { type PatternGroup, patternGroups } from '../../../src/net/replies/reading.js';
import { stripEchoedAddresses } from '../../../src/net/replies/strip-echoes.js';
import { parseReply } from '../../fakes/parse-reply.js';
import { factRows } from '../../fixtures/fact-rows.js';
import { phraseTable } from './phrase-table.js';

const recipient = 'ghost@example.com';

function reply(text: string, stage: SmtpStage = 'rcpt'): SmtpReply {
  const parsed = parseReply(text, stage);
  if (parsed === null) throw new Error(`no reply: ${text}`);
  return parsed;
}

/** The first letters of the longest word that is whole, or continues after four letters, and is ASCII. */
function keyOf(phrase: string): string {
  const words = compilePhrase(phrase).parts.flatMap((part) => {
    const [before, ...rest] = part.split(' ');
    const unfinished = rest.pop() ?? '';
    return before === '' ? [...rest, unfinished.length < 4 ? '' : unfinished] : rest;
  });
  const fit = words.filter((word) => word !== anyMailbox && /^[ -~]*$/.test(word.slice(0, 4)));
  return fit.reduce((longest, word) => (word.length > longest.length ? word : longest), '').slice(0, 4) || '-';
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

  test('a row has the key that its phrase needs, and the rows are in the order in which groups are searched', () => {
    const table = phraseTable();
    expect(table.filter(({ key, phrase }) => key !== keyOf(phrase)).map(({ phrase }) => phrase)).toEqual([]);
    const order = table.map(({ group }) => patternGroups.indexOf(group));
    expect(order).toEqual([...order].sort((one, other) => one - other));
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
  test.each(factRows('reply-readings', 'to RCPT'))('%s → %s', (text, reason, rule) => {
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

  test.each(factRows('reply-readings', 'vague'))('%s is vague: %s', (text, vague) => {
    expect(readReply(reply(text), { recipient }).vague).toBe(vague === 'true');
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
  test.each(factRows('reply-readings', 'echoed addresses'))('%s in %s → %s', (address, text, reason) => {
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

test.each(factRows('reply-readings', 'before RCPT'))(
  'before RCPT, a refusal is about the client: %s: %s → %s',
  (stage, text, reason) => {
    expect(readReply(reply(text, stage as SmtpStage), { recipient }).reason).toBe(reason);
  },
);

test.each(factRows('reply-readings', 'terms for a mailbox'))(
  'all terms for a mailbox mean the same: %s → %s',
  (text, reason) => {
    expect(readReply(reply(text), { recipient }).reason).toBe(reason);
  },
);

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
