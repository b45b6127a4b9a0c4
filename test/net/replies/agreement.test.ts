import { describe, expect, test } from 'vitest';
import { isBareRefusal } from '../../../src/net/replies/agreement.js';
import { readReply } from '../../../src/net/replies/read-reply.js';
import { parseReply } from '../../../src/net/smtp/reply-parser.js';

const echo = { recipient: 'ghost@example.com', ourIp: '192.0.2.1', ourName: 'mail.example.org', senders: [] };

function read(text: string) {
  const reply = parseReply(text, 'rcpt');
  if (reply === null) throw new Error(`no reply: ${text}`);
  return readReply(reply, echo);
}

test.each([
  '550 5.1.1 Der Rechnername zu 192.0.2.1 existiert nicht',
  '550 5.1.1 <ghost@example.com>: Recipient address rejected: Erstkontakt: bitte in 20 Minuten erneut zustellen',
  '550 5.1.1 Les connexions venant de votre pays sont interdites',
  '550 5.1.0 Identifiez-vous avant d’envoyer',
  '550 5.1.1 Usted no puede escribir a este destinatario',
  '550 5.1.1 Não foi possível saber se o destinatário existe',
  '550 5.1.1 Il destinatario accetta posta solo da mittenti noti',
  '550 5.2.1 De server is in onderhoud',
  '550 5.1.1 Nie wolno wysyłać poczty do tego odbiorcy',
  '550 5.1.1 Nelze zjistit, zda uživatel existuje',
  '550 5.1.1 Система на обслуживании',
  '553 5.1.3 Sunucu bakımda',
  '550 5.1.1 请在300分钟后再试',
  '550 5.1.1 20分後に再試行ください',
  '550 5.1.1 이 수신자에게 메일을 보낼 권한이 없습니다',
  '550 5.1.1 Meddelandet togs inte emot',
  '550 5.1.6 Refused under company rules',
  '550 5.1.1 Rejected: 192.0.2.1',
  '550 5.1.1 Tastes like a phishing attempt (Mailbox does not exist)',
  '550 User unknown, says the firewall',
])('a mailbox code with words that contradict it: %s', (text) => {
  expect(read(text)).toMatchObject({ reason: 'antispam_system', vague: true });
});

test.each([
  '550 5.1.1 nope',
  '550 5.1.1 <ghost@example.com> is missing',
  '550 5.1.1',
  '550 5.1.1 <ghost@example.com>',
  '550 5.1.1 Recipient address rejected',
  '550 5.1.1 ghost@example.com not found (see https://www.example.com/session/rules)',
  '550 5.1.1 <ghost@example.com>: Recipient address rejected: User unknown. If you believe this is an error, call us',
  '554 5.1.1 <ghost@example.com>: undeliverable address: host mx.example.net said: 550 Neznámý adresát (in reply to RCPT TO command)',
  '550 5.1.1 Mailbox is not available x12si34.41 - gsmtp',
  '553 5.1.3 The recipient address <ghost> is not a valid RFC 5321 address',
  '550 5.1.2 Host unknown: domain not found',
  '550 5.1.6 Destination mailbox has moved, no forwarding address',
  '550 5.1.1 Your message cannot be delivered',
  '550 5.1.1 User unknown (spamgate.example.net, session id 4A2F)',
  '550 5.1.1 ユーザー不明',
  '550 5.1.1 Tanımsız alıcı',
])('words that agree with the code, or none: %s', (text) => {
  expect(read(text)).toMatchObject({ reason: 'mailbox_not_found', vague: false });
});

describe('a code for a domain that accepts no mail', () => {
  test.each([
    '550 5.1.10 Verbindungen aus dynamischen Netzen werden nicht angenommen',
    '550 5.1.10 192.0.2.1 is not accepted',
    '550 5.1.10 Your host is on a blocklist',
    '550 5.1.10 The mailbox is full',
    '556 Bitte zuerst E-Mails abrufen',
    '556 We take mail of our members alone',
  ])('%s is about something else', (text) => {
    expect(['does_not_accept_mail', 'mailbox_not_found', 'mailbox_disabled']).not.toContain(read(text).reason);
  });

  test.each([
    '550 5.1.10 Null MX',
    '556 5.1.10 <ghost@example.com>: Recipient address rejected: Domain example.com does not accept mail (nullMX)',
    '550 5.1.10 Recipient domain not found',
    '556 5.1.10',
    '556 This host does not accept mail',
  ])('%s', (text) => {
    expect(read(text)).toMatchObject({ reason: 'does_not_accept_mail', vague: false });
  });
});

test('a link is found in each of several replies', () => {
  const reply = parseReply('550 Mailbox access denied, check spelling at https://help/spelling', 'rcpt');
  if (reply === null) throw new Error('no reply');
  const answers = [1, 2, 3].map(() => isBareRefusal(reply, reply.text.toLowerCase()));
  expect(answers).toEqual([false, false, false]);
});
