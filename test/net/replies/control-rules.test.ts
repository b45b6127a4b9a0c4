import { describe, expect, test } from 'vitest';
import { providerTraits } from '../../../src/engine/lists/providers.js';
import type { KnownMailbox } from '../../../src/model/evidence.js';
import { readReply } from '../../../src/net/replies/read-reply.js';
import { parseReply } from '../../fakes/parse-reply.js';
import { factRows } from '../../fixtures/fact-rows.js';

const recipient = 'ghost@example.com';

function reply(text: string) {
  const parsed = parseReply(text, 'rcpt');
  if (parsed === null) throw new Error(`no reply: ${text}`);
  return parsed;
}

/** Reads a refusal that the random mailbox gets as well, with another mailbox accepted. */
function readWith(mailbox: KnownMailbox, text: string) {
  return readReply(reply(text), { recipient, random: reply(text), knownMailbox: { mailbox, reply: reply('250 ok') } });
}

describe('with postmaster accepted', () => {
  // Exim's default configuration accepts postmaster before it applies any rule about the client.
  test.each(factRows('reply-controls', 'postmaster proves nothing'))('%s: proves nothing', (text) => {
    expect(readWith('postmaster', text).reason).not.toBe('mailbox_not_found');
  });

  test.each([
    '550 mailbox unavailable',
    '550 Requested action not taken: mailbox unavailable',
    '550 <ghost@example.com>: Recipient address rejected',
    '550 5.5.0 recipient rejected',
  ])('%s: the mailbox is absent, with moderate confidence', (text) => {
    expect(readWith('postmaster', text)).toMatchObject({ reason: 'mailbox_not_found', certainty: 0.85 });
  });
});

test('with another mailbox accepted, unreadable words prove the absence', () => {
  expect(readWith('accepted_before', '550 Ez a cím itt nem él')).toMatchObject({
    reason: 'mailbox_not_found',
    decidedBy: 'another mailbox of the domain is accepted',
  });
});

describe('no control mailbox settles hedged words', () => {
  test.each(factRows('reply-controls', 'hedged words'))('%s', (text) => {
    for (const mailbox of ['postmaster', 'accepted_before'] as const) {
      expect(readWith(mailbox, text).reason).toBe('antispam_system');
    }
  });

  test.each([
    '550 5.1.1 unknown or invalid address',
    '550 Mailbox not found or expired',
    '550 5.1.1 no such user or room',
    '550 5.1.1 No such user. Check the spelling, or ask the postmaster',
    '550 User unknown or disabled',
  ])('several words for an absence are no hedge: %s', (text) => {
    expect(readReply(reply(text), { recipient }).reason).toMatch(/^mailbox_(?:not_found|disabled)$/);
  });

  test.each([
    '550-Mailbox unknown. Either there is no mailbox with this\n550-name or you do not have authorization to see it.\n550 5.1.1 User unknown',
    '550-5.1.1 The account may not exist, or be blocked.\n550 5.1.1 User unknown',
  ])('another line does not override a plain "user unknown": %s', (text) => {
    expect(readReply(reply(text), { recipient }).reason).toBe('mailbox_not_found');
  });

  test('quoted words of another host are not about the mailbox', () => {
    const quoted = '550 Verification of <probe@example.org> failed: 550 5.1.1 user unknown';
    expect(readReply(reply(quoted), { recipient, senders: ['probe@example.org'] }).reason).not.toBe(
      'mailbox_not_found',
    );
  });
});

describe('what is so for a while is no absence, with any code', () => {
  test.each(factRows('reply-controls', 'so for a while'))('%s', (text) => {
    expect(readWith('postmaster', text).reason).toBe('mail_server_temporary_error');
  });

  test.each(['550 5.1.1 User unknown. This is not temporary', '550 5.1.1 User unknown, try again later'])(
    'unless the words deny it: %s',
    (text) => {
      expect(readReply(reply(text), { recipient }).reason).toBe('mailbox_not_found');
    },
  );
});

describe('a recipient that takes mail of its own organization only', () => {
  test.each(factRows('reply-controls', 'restricted recipients'))('%s', (text) => {
    for (const mailbox of ['postmaster', 'accepted_before'] as const) {
      expect(readWith(mailbox, text)).toMatchObject({ reason: 'restricted_recipient', vague: false });
    }
  });

  test('is not known from a refusal of the sender', () => {
    const early = parseReply('550 5.7.1 only internal senders', 'mail');
    expect(early && readReply(early, { recipient }).reason).toBe('sender_rejected');
  });
});

test('a request to update an address book is not about the client', () => {
  const text = '550-5.1.1 <ghost@example.com> has left the company\n550 please update your address book';
  expect(readReply(reply(text), { recipient }).reason).toBe('mailbox_not_found');
});

test('a code of absence with unreadable words is believed if the random mailbox is clearly absent', () => {
  const text = '550 5.1.1 Ez a cím itt nem él';
  expect(readReply(reply(text), { recipient })).toMatchObject({ reason: 'antispam_system', vague: true });
  expect(readReply(reply(text), { recipient, random: reply('550 5.1.1 User unknown') }).reason).toBe(
    'mailbox_not_found',
  );
});

describe('5.4.1 "access denied"', () => {
  const denied = '550 5.4.1 Recipient address rejected: Access denied';

  test.each([
    { host: 'example-com.mail.protection.outlook.com', text: denied },
    { host: 'mx.example.net', text: `${denied} [DB5EUR03FT032.eop-EUR03.prod.protection.outlook.com]` },
  ])('is an absence from Exchange Online: $host', ({ host, text }) => {
    expect(readReply(reply(text), { recipient, hostName: host }).reason).toBe('mailbox_not_found');
  });

  test('is vague from other hosts', () => {
    expect(readReply(reply(denied), { recipient, hostName: 'mx.example.net' }).vague).toBe(true);
  });
});

describe('facts about a provider', () => {
  test.each(factRows('reply-controls', 'providers'))('%s: %s', (provider, text, reason) => {
    const providerRules = providerTraits(provider)?.replyRules ?? [];
    expect(readReply(reply(text), { recipient, providerRules })).toMatchObject({ reason, vague: false });
  });

  test('words about the client take precedence', () => {
    const text = '550 mailbox unavailable: your IP 192.0.2.1 has been blocked';
    const providerRules = providerTraits('GMX')?.replyRules ?? [];
    expect(readReply(reply(text), { recipient, providerRules }).reason).toBe('antispam_system');
  });
});
