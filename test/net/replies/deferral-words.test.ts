import { expect, test } from 'vitest';
import type { SmtpReply } from '../../../src/model/evidence.js';
import { readReply } from '../../../src/net/replies/read-reply.js';
import { parseReply } from '../../fakes/parse-reply.js';
import { factRows } from '../../fixtures/fact-rows.js';

const read = (text: string) =>
  readReply(parseReply(text, 'rcpt') as SmtpReply, { recipient: 'ghost@example.com' }).reason;

const parts = factRows('reply-deferrals', 'parts of a host').flat();
const troubles = factRows('reply-deferrals', 'faults').flat();

test.each(parts)('a deferral that names a fault of %s is not greylisting', (part) => {
  for (const trouble of troubles)
    for (const code of ['450', '451', '451 4.7.1']) {
      const text = `${code} ${trouble.replace('{}', part)}`;
      expect(`${text}: ${read(text)}`).toBe(`${text}: mail_server_temporary_error`);
    }
});

const counted = factRows('reply-deferrals', 'what is counted').flat();
const limits = factRows('reply-deferrals', 'limits').flat();

test.each(counted)('a deferral that counts %s is a limit on the client', (what) => {
  for (const limit of limits)
    for (const code of ['450', '451', '451 4.7.1', '421']) {
      const text = `${code} ${limit.replace('{}', what)}`;
      expect(`${text}: ${read(text)}`).toBe(`${text}: rate_limited`);
    }
});

test.each(factRows('reply-deferrals', 'limits and quotas'))('%s → %s', (text, reason) => {
  expect(read(text)).toBe(reason);
});

test.each([
  'please try again later',
  'temporarily deferred, try again',
  'please retry after 5 minutes',
  'temporarily rejected, wait 1 minute',
  'please come back in 10 minutes',
  'Recipient address rejected: try later',
])('%s is greylisting', (text) => expect(read(`451 ${text}`)).toBe('greylisted'));
