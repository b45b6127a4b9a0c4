import { expect, test } from 'vitest';
import type { SmtpReply } from '../../../src/model/evidence.js';
import { readReply } from '../../../src/net/replies/read-reply.js';
import { parseReply } from '../../../src/net/smtp/reply-parser.js';

const read = (text: string) =>
  readReply(parseReply(text, 'rcpt') as SmtpReply, { recipient: 'ghost@example.com' }).reason;

const parts = [
  'LDAP server',
  'mail store',
  'spool directory',
  'virus scanner',
  'spam filter',
  'policy service',
  'milter',
  'local delivery agent',
  'cluster node',
  'address verification',
  'alias map',
  'DNS lookup',
];
const troubles = [
  '{} failed, try again later',
  '{} is not responding',
  '{} timed out',
  '{} is temporarily unavailable',
  '{} is being restarted',
  'temporary failure in {}',
  'unable to contact {}',
  'temporary {} problem, please retry',
  '{} is full',
];

test.each(parts)('a deferral that names a fault of %s is not greylisting', (part) => {
  for (const trouble of troubles)
    for (const code of ['450', '451', '451 4.7.1']) {
      const text = `${code} ${trouble.replace('{}', part)}`;
      expect(`${text}: ${read(text)}`).toBe(`${text}: mail_server_temporary_error`);
    }
});

const counted = [
  'messages',
  'e-mails',
  'connections',
  'sessions',
  'transactions',
  'errors',
  'bounces',
  'invalid addresses',
];
const limits = [
  'too many {}',
  'maximum {} exceeded',
  'only 20 {} an hour allowed',
  'you have sent 100 {} today, wait',
  'limit for {} exceeded, come back later',
  'more than 10 {} in 5 minutes',
  'exceeded your {} limit',
  '{} threshold reached',
  'reduce the number of {}',
];

test.each(counted)('a deferral that counts %s is a limit on the client', (what) => {
  for (const limit of limits)
    for (const code of ['450', '451', '451 4.7.1', '421']) {
      const text = `${code} ${limit.replace('{}', what)}`;
      expect(`${text}: ${read(text)}`).toBe(`${text}: rate_limited`);
    }
});

test.each([
  ['450 4.7.1 outbound limit exceeded', 'rate_limited'],
  ['451 limit reached, please try later', 'rate_limited'],
  ['421 you have reached your limit', 'rate_limited'],
  ['452 mailbox has reached its limit', 'mailbox_quota_exceeded'],
  // Counts of policyd, which are about what we send.
  [
    '554 5.7.1 <ghost@example.com>: Recipient address rejected: Policy rejection; Message count quota exceeded',
    'rate_limited',
  ],
  ['552 5.2.2 Recipient count quota exceeded', 'rate_limited'],
  ['450 4.7.1 <ghost@example.com>: Recipient address rejected: Policy Rejection- Quota Exceeded.', 'rate_limited'],
  ['452 4.2.2 message quota exceeded, 100 per hour', 'rate_limited'],
  ['552 5.2.2 <ghost@example.com>: user is over quota', 'mailbox_quota_exceeded'],
])('%s → %s', (text, reason) => {
  expect(read(text)).toBe(reason);
});

test.each([
  'please try again later',
  'temporarily deferred, try again',
  'please retry after 5 minutes',
  'temporarily rejected, wait 1 minute',
  'please come back in 10 minutes',
  'Recipient address rejected: try later',
])('%s is greylisting', (text) => {
  expect(read(`451 ${text}`)).toBe('greylisted');
});
