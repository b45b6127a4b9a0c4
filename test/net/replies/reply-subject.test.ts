import { expect, test } from 'vitest';
import type { SmtpReply } from '../../../src/model/evidence.js';
import { readReply } from '../../../src/net/replies/read-reply.js';
import { parseReply } from '../../fakes/parse-reply.js';
import { factRows } from '../../fixtures/fact-rows.js';

const echo = {
  recipient: 'ghost@example.com',
  ourIp: '192.0.2.1',
  ourName: 'mail.example.org',
  senders: ['', 'probe@example.org'],
};

const read = (text: string) => readReply(parseReply(text, 'rcpt') as SmtpReply, echo);

const ours = factRows('reply-subjects', 'about the client').flat();
const states = factRows('reply-subjects', 'states').flat();

test.each(ours)('a statement about %s is not about the mailbox', (subject) => {
  for (const state of states) {
    const text = state.replace('{}', subject);
    const { reason, vague } = read(`550 ${text}`);
    expect(`${text}: ${reason}${vague ? ', the controls decide' : ''}`).not.toMatch(/: mailbox_|controls/);
  }
});

test.each(factRows('reply-subjects', 'about other things'))('%s proves nothing about a mailbox by itself', (text) => {
  expect(read(`550 ${text}`).reason).not.toMatch(/^mailbox_/);
});

/** Invented, with their opposites below. Each is a reply for an existing mailbox. */
test.each(factRows('reply-subjects', 'the mailbox may exist'))('%s is about a mailbox that may exist', (text) => {
  const reply = parseReply(text, 'rcpt') as SmtpReply;
  const everybody = { random: reply, knownMailbox: { mailbox: 'postmaster' as const, reply } };
  for (const context of [echo, { ...echo, ...everybody }])
    expect(readReply(reply, context).reason).not.toMatch(/^(?:mailbox_|does_not)/);
});

test.each([
  '550 user unknown (ldap: server down)',
  '550 5.1.1 User lookup failed: connection refused',
  '550 5.1.1 Unable to contact the server that holds this mailbox',
])('%s proves nothing although postmaster is accepted, since postmaster is known without a lookup', (text) => {
  const reply = parseReply(text, 'rcpt') as SmtpReply;
  const known = { mailbox: 'postmaster' as const, reply: parseReply('250 ok', 'rcpt') as SmtpReply };
  expect(readReply(reply, { ...echo, random: reply, knownMailbox: known }).reason).toBe('mail_server_temporary_error');
});

const closed = [
  'is disabled',
  'is closed',
  'is not accepting any mail',
  'is not allowed to receive mail',
  'has suspended mail',
];
const toSome = factRows('reply-subjects', 'closed to some').flat();

test.each(toSome)('a mailbox that is closed %s is not read as closed', (which) => {
  for (const subject of ['The user', 'recipient', 'this mailbox', 'ghost', 'this address'])
    for (const state of closed) {
      const text = `${subject} ${state} ${which}`;
      expect(`${text}: ${read(`550 ${text}`).reason}`).not.toMatch(/: (?:mailbox_|does_not)/);
    }
});

test.each(factRows('reply-subjects', 'readings'))('%s → %s', (text, reason) => expect(read(text).reason).toBe(reason));

test.each([
  ['550 brugeren findes ikke', 'mailbox_not_found'],
  ['550 destinatarul nu există', 'mailbox_not_found'],
  ['550 Alamat email ini tidak terdaftar', 'mailbox_not_found'],
  ['550 사용자 알 수 없음', 'mailbox_not_found'],
  ['550 Dirección de entrada no configurada', 'mailbox_not_found'],
  ['501 5.1.3 domain of mail address is syntactically incorrect', 'mailbox_not_found'],
])('a missing mailbox in few or other words: %s', (text, reason) => expect(read(text).reason).toBe(reason));

test.each(factRows('reply-subjects', 'no proof of absence'))('no proof of a missing mailbox: %s', (text) => {
  expect(['mailbox_not_found', 'mailbox_disabled']).not.toContain(read(text).reason);
});

test.each(factRows('reply-subjects', 'faults and limits'))(
  'a fault of the host, a limit or a command: %s → %s',
  (text, reason) => {
    expect(read(text).reason).toBe(reason);
  },
);
