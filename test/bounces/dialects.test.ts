import { expect, test } from 'vitest';
import { classifyFailure } from '../../src/service/bounces/classify-failure.js';
import { readMessage } from '../../src/service/bounces/read-message.js';
import { factRows } from '../fixtures/fact-rows.js';

test.each(factRows('bounces', 'failures in the words of mail servers'))(
  '%s: status %s, to %s: %s',
  (want, status, recipient, text, reply) => {
    const read = classifyFailure({
      recipient: recipient || 'ghost@example.com',
      text,
      status: status || null,
      remoteMta: '',
    });
    expect(`${read.kind} ${read.sub_status}`).toBe(want);
    if (reply !== undefined) expect(read.reply).toBe(reply);
  },
);

const head = (subject: string, from = 'Mail Delivery Subsystem <MAILER-DAEMON@relay.example>') =>
  `From: ${from}\nTo: <news@shop.example>\nSubject: ${subject}\nDate: Mon, 2 Nov 2026 10:00:00 +0000\nMIME-Version: 1.0\n`;

const report = (address: string) =>
  `${head('Undelivered Mail')}Content-Type: multipart/report; report-type=delivery-status; boundary="R"

--R
Content-Type: text/plain

This is the mail system.

--R
Content-Type: message/delivery-status

Reporting-MTA: dns; relay.example

Final-Recipient: rfc822; ${address}
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 User unknown

--R--
`;

const forward = (...parts: string[]) =>
  `${head('for your list', 'Ann <ann@shop.example>')}Content-Type: multipart/mixed; boundary="F"

--F
Content-Type: text/plain

See attached.

${parts.map((part) => `--F\nContent-Type: message/rfc822\n${part}\n`).join('')}--F--
`;
const base64 = (text: string) =>
  `Content-Transfer-Encoding: base64\n\n${Buffer.from(text)
    .toString('base64')
    .replace(/(.{76})/g, '$1\n')}`;

const sesEvent = JSON.stringify({
  notificationType: 'Bounce',
  bounce: {
    bounceType: 'Permanent',
    bouncedRecipients: [{ emailAddress: 'ghost@example.com', diagnosticCode: 'smtp; 550 5.1.1 user unknown' }],
    feedbackId: 'f1',
  },
  mail: { messageId: 'm-1' },
});
const bySns = (body: string, from = 'AWS Notifications <no-reply@sns.amazonaws.com>') =>
  `${head('AWS Notification Message', from)}Content-Type: text/plain\n\n${body}\n\n--\nIf you wish to stop receiving notifications {…}`;

async function failedIn(message: string) {
  const reading = await readMessage(Buffer.from(message));
  return reading.type === 'bounce' ? reading.bounces.map(({ address, kind }) => `${address} ${kind}`) : reading.type;
}

test.each([
  ['an attached bounce', forward(`\n${report('ghost@example.com')}`), ['ghost@example.com hard']],
  [
    'several attached bounces, one in base64',
    forward(`\n${report('ghost@example.com')}`, base64(report('gone@example.com'))),
    ['ghost@example.com hard', 'gone@example.com hard'],
  ],
  ['an attached message that is no bounce', forward(`\n${head('order', 'Bob <bob@example.com>')}\nHello`), 'other'],
  [
    'a notification of SES, mailed by SNS',
    bySns(sesEvent).replace(/\n\n--\n.*/s, '\n\n--\nTo stop, click the link.'),
    ['ghost@example.com hard'],
  ],
  [
    'the same, with the envelope of SNS',
    bySns(JSON.stringify({ TopicArn: 'arn:aws:sns:x', Message: sesEvent })).replace(/\{…\}/, ''),
    ['ghost@example.com hard'],
  ],
  ['its words from another sender', bySns(sesEvent, 'Ann <ann@shop.example>'), 'other'],
  [
    'an old report of sendmail that names a recipient only in the transcript',
    `${head('Returned mail: User unknown')}
   ----- Transcript of session follows -----
550 a@example.com... User unknown
... while talking to mx.example.net.:
>>> RCPT To:<b@example.net>
<<< 550 5.1.1 <b@example.net>... User unknown
550 5.1.1 <b@example.net>... User unknown
554 c@example.org... Host not found
`,
    ['a@example.com hard', 'b@example.net hard', 'c@example.org hard'],
  ],
])('a message: %s', async (_name, message, want) => expect(await failedIn(message)).toEqual(want));
