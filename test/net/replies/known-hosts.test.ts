import { expect, test } from 'vitest';
import type { SmtpStage } from '../../../src/model/evidence.js';
import { readReply } from '../../../src/net/replies/read-reply.js';
import type { ReadingReason } from '../../../src/net/replies/reading.js';
import { parseReply } from '../../fakes/parse-reply.js';
import { factRows } from '../../fixtures/fact-rows.js';

const recipient = 'ghost@example.com';

/** A refusal that needs the answers for the two control mailboxes. */
const compared = 'compared';

function read(text: string, stage: SmtpStage): ReadingReason | typeof compared {
  const reply = parseReply(text, stage);
  if (reply === null) throw new Error(`no reply: ${text}`);
  const { reason, vague } = readReply(reply, { recipient, ourIp: '192.0.2.1', ourName: 'probe.example.net' });
  return vague ? compared : reason;
}

test.each(factRows('replies-by-host', 'mail servers'))(
  'replies of mail servers to RCPT: %s: %s → %s',
  (_host, text, reason, stage = 'rcpt') => {
    expect(read(text, stage as SmtpStage)).toBe(reason);
  },
);

test.each(factRows('replies-by-host', 'providers and gateways'))(
  'replies of providers and gateways: %s: %s → %s',
  (_host, text, reason, stage = 'rcpt') => {
    expect(read(text, stage as SmtpStage)).toBe(reason);
  },
);

test.each([
  ...['confirm this mail server', 'please use the smarthost of your provider', 'sender is not pre-approved'],
  ...['we do not take bounces', 'TLS required', 'directory harvest attack detected', 'not whitelisted'],
  ...['protocol violation', 'host not welcome', 'this country is blocked by GeoIP', 'authentication failure'],
  ...['Forbidden'],
])('a clear refusal of the client is never compared with a random mailbox: 550 %s', (words) => {
  expect(['antispam_system', 'sender_rejected']).toContain(read(`550 ${words}`, 'rcpt'));
});
