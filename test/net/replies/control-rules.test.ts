import { describe, expect, test } from 'vitest';
import { providerTraits } from '../../../src/engine/lists/providers.js';
import type { KnownMailbox } from '../../../src/model/evidence.js';
import { readReply } from '../../../src/net/replies/read-reply.js';
import { parseReply } from '../../../src/net/smtp/reply-parser.js';

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
  test.each([
    '550 Connections from your country are not allowed',
    '550 found in sbl-xbl.example.org',
    '550 We do not accept mail from this host',
    '550 Automatically-generated messages are not accepted',
    '550 Something odd happened here',
    '550 Administrative prohibition',
    '550 5.6.1 Media not supported',
    '550 5.7.1 Access denied',
    '550 Access denied',
    '550 Rejected',
    '550 5.0.0 <ghost@example.com>',
    '550 5.5.0 rejected',
  ])('%s: proves nothing', (text) => {
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
  test.each([
    '550 user unknown or mailbox full',
    "550 address doesn't exist or blocked",
    '550 Mailbox unavailable or access denied',
    '550 mailbox unavailable (e.g., mailbox not found, no access, or command rejected for policy reasons)',
    '550 Benutzer unbekannt oder Postfach voll',
    '550 Utilisateur inconnu ou bloqué',
    '550 5.1.1 User unknown or access denied',
    '550 Recipient might not exist',
    '550 possibly does not exist',
    '550 The user is not unknown',
  ])('%s', (text) => {
    for (const mailbox of ['postmaster', 'accepted_before'] as const) {
      expect(readWith(mailbox, text).reason).toBe('antispam_system');
    }
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
  test.each([
    { provider: 'GMX', text: '550 Requested action not taken: mailbox unavailable', reason: 'mailbox_not_found' },
    { provider: 'WEB.DE', text: '550 Requested action not taken: mailbox unavailable', reason: 'mailbox_not_found' },
    { provider: 'IONOS', text: '550 Requested action not taken: mailbox unavailable', reason: 'mailbox_not_found' },
    {
      provider: 'Microsoft',
      text: '550 5.5.0 Requested action not taken: mailbox unavailable',
      reason: 'mailbox_not_found',
    },
    { provider: 'Interia', text: '550 5.2.1 Mailbox not available', reason: 'antispam_system' },
    { provider: 'Tencent', text: '550 Mailbox unavailable or access denied', reason: 'antispam_system' },
    { provider: 'Yandex', text: '550 5.7.1 Policy rejection on the target address', reason: 'mailbox_disabled' },
    { provider: 'Cox', text: '550 5.1.0 recipient rejected', reason: 'mailbox_not_found' },
  ])('$provider: $text', ({ provider, text, reason }) => {
    const providerRules = providerTraits(provider)?.replyRules ?? [];
    expect(readReply(reply(text), { recipient, providerRules })).toMatchObject({ reason, vague: false });
  });

  test('words about the client take precedence', () => {
    const text = '550 mailbox unavailable: your IP 192.0.2.1 has been blocked';
    const providerRules = providerTraits('GMX')?.replyRules ?? [];
    expect(readReply(reply(text), { recipient, providerRules }).reason).toBe('antispam_system');
  });
});
