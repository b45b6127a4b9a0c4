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
    '550 Delivery to this recipient is not allowed',
    '550 5.0.0 mail delivery to the user is not permitted',
    '550 5.2.1 not available',
    '550 5.2.1 <ghost@example.com>: mailbox unavailable',
    '556 address unavailable',
    '556 unavailable',
    '556 Recipient not available',
    '550 recipient unavailable or is not local',
    '550 Recipient cannot receive email at this time',
    '550 Recipient cannot receive email from external senders',
    '550 mailbox cannot receive email larger than 10 MB',
    '550 Your account cannot receive email',
    '550 sender address too long',
    '550 Message too long for recipient',
    '550 conexión cerrada',
    '550 connessione chiusa',
    '550 povezava je zaprta',
    '550 连接已关闭',
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
    '550 5.1.1 <ghost@example.com>: Utente sconosciuto o non abilitato',
    '550 destinatario sconosciuto o non abilitato alla ricezione di posta non certificata',
    '550 No such user (or mail blocked)',
    '550 5.1.1 recipient unavailable or is not local',
    '550 Empfänger unbekannt oder nicht berechtigt',
    '550 utilisateur inconnu ou non autorisé',
    '550 Nieznany użytkownik lub skrzynka zablokowana',
    '550 Uživatel neexistuje nebo je schránka plná',
    '550 Пользователь не найден или заблокирован',
    '550 gebruiker onbekend of geblokkeerd',
    '550 usuário desconhecido ou bloqueado',
    '550 usuario desconocido o deshabilitado',
    '550 användaren finns inte eller är spärrad',
    '550 brugeren findes ikke eller er spærret',
    '550 kullanıcı yok veya engellenmiş',
    '550 felhasználó nem létezik vagy letiltott',
    '550 utilizator necunoscut sau blocat',
    '550 用户不存在或空间已满',
    '550 사용자가 없거나 차단되었습니다',
    '550 Recipient unknown or not accepted here',
    '550 user does not exist or does not accept mail from outside',
  ])('%s', (text) => {
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
  test.each([
    '550 5.1.1 User temporarily unknown',
    '550 User temporarily unknown',
    '550 this mailbox is temporarily inactive',
    '550 account temporarily suspended',
    '550 mailbox is temporarily closed',
    '550 5.1.1 Address temporarily does not exist',
    '550 5.2.1 mailbox temporarily disabled',
    '550 Cuenta temporalmente desactivada',
    '550 Postfach vorübergehend deaktiviert',
    '550 compte temporairement désactivé',
    '550 casella temporaneamente disabilitata',
    '550 5.1.1 Konto tymczasowo zablokowane',
    '550 账户暂时禁用',
  ])('%s', (text) => {
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
  test.each([
    '550 5.7.124 Sender not in allowed-senders list',
    '550 5.7.129 RESOLVER.RST.RestrictedToRecipientsPermission; not authorized',
    '550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required; Delivery restriction check failed because the sender was not authenticated when sending to this group',
    '550 5.7.134 RESOLVER.RST.SenderNotAuthenticatedForMailbox; authentication required',
    '550 5.7.134',
    '550 5.7.1 <ghost@example.com>: Recipient address rejected: only internal senders',
    '550 5.1.1 Only internal senders may write to this address',
    '550 Nur interne Absender dürfen an diese Adresse senden',
  ])('%s', (text) => {
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
  test.each([
    ['GMX', '550 Requested action not taken: mailbox unavailable', 'mailbox_not_found'],
    ['WEB.DE', '550 Requested action not taken: mailbox unavailable', 'mailbox_not_found'],
    ['IONOS', '550 Requested action not taken: mailbox unavailable', 'mailbox_not_found'],
    ['Microsoft', '550 5.5.0 Requested action not taken: mailbox unavailable', 'mailbox_not_found'],
    ['Interia', '550 5.2.1 Mailbox not available', 'antispam_system'],
    ['Tencent', '550 Mailbox unavailable or access denied', 'antispam_system'],
    ['Yandex', '550 5.7.1 Policy rejection on the target address', 'mailbox_disabled'],
    ['Cox', '550 5.1.0 recipient rejected', 'mailbox_not_found'],
  ])('%s: %s', (provider, text, reason) => {
    const providerRules = providerTraits(provider)?.replyRules ?? [];
    expect(readReply(reply(text), { recipient, providerRules })).toMatchObject({ reason, vague: false });
  });

  test('words about the client take precedence', () => {
    const text = '550 mailbox unavailable: your IP 192.0.2.1 has been blocked';
    const providerRules = providerTraits('GMX')?.replyRules ?? [];
    expect(readReply(reply(text), { recipient, providerRules }).reason).toBe('antispam_system');
  });
});
