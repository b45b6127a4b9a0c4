import { describe, expect, test } from 'vitest';
import { isBareRefusal } from '../../../src/net/replies/agreement.js';
import { readReply } from '../../../src/net/replies/read-reply.js';
import { parseReply } from '../../fakes/parse-reply.js';
import { factRows } from '../../fixtures/fact-rows.js';

const echo = { recipient: 'ghost@example.com', ourIp: '192.0.2.1', ourName: 'mail.example.org', senders: [] };

function read(text: string) {
  const reply = parseReply(text, 'rcpt');
  if (reply === null) throw new Error(`no reply: ${text}`);
  return readReply(reply, echo);
}

test.each(factRows('reply-controls', 'words that contradict a mailbox code'))(
  'a mailbox code with words that contradict it: %s',
  (text) => {
    expect(read(text)).toMatchObject({ reason: 'antispam_system', vague: true });
  },
);

test.each(factRows('reply-controls', 'words that agree with a mailbox code'))(
  'words that agree with the code, or none: %s',
  (text) => {
    expect(read(text)).toMatchObject({ reason: 'mailbox_not_found', vague: false });
  },
);

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
  ])('%s', (text) => expect(read(text)).toMatchObject({ reason: 'does_not_accept_mail', vague: false }));
});

test('a link is found in each of several replies', () => {
  const reply = parseReply('550 Mailbox access denied, check spelling at https://help/spelling', 'rcpt');
  if (reply === null) throw new Error('no reply');
  expect([1, 2, 3].map(() => isBareRefusal(reply, reply.text.toLowerCase()))).toEqual([false, false, false]);
});
