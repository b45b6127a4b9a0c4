import { expect, test } from 'vitest';
import { classifyFailure } from '../../src/service/bounces/classify-failure.js';
import { readMessage } from '../../src/service/bounces/read-message.js';

test.each<{ text: string; status?: string; recipient?: string; want: string; reply?: string }>([
  // A wrapper is not the reason.
  {
    text: "5.1.0 - Unknown address error 550-'5.7.1 <ghost@example.com>... Access denied' (delivery attempts: 0)",
    status: '5.1.0',
    want: 'policy antispam_system',
    reply: '550 5.7.1 <ghost@example.com>... Access denied',
  },
  {
    text: '5.1.0 - Unknown address error 550-"5.1.1 <ghost@example.com>... User unknown" (delivery attempts: 0)',
    status: '5.1.0',
    want: 'hard mailbox_not_found',
    reply: '550 5.1.1 <ghost@example.com>... User unknown',
  },
  // The resolver of the sender.
  {
    text: 'Name service error for name=example.com type=MX: Malformed or unexpected name server reply',
    status: '5.4.4',
    want: 'soft dns_error',
  },
  { text: '5.4.4 (Host not found) Malformed or unexpected name server reply', want: 'soft dns_error' },
  // Carriers that filter by sender.
  ...['docomo.ne.jp', 'ezweb.ne.jp', 'au.com', 'mineo.jp'].flatMap((domain) => [
    {
      text: `host mx.${domain}[203.0.113.1] said: 550 <ghost@${domain}>: User unknown (in reply to end of DATA command)`,
      recipient: `ghost@${domain}`,
      want: 'policy antispam_system',
    },
    {
      text: `host mx.${domain}[203.0.113.1] said: 550 <ghost@${domain}>: User unknown (in reply to RCPT TO command)`,
      recipient: `ghost@${domain}`,
      want: 'hard mailbox_not_found',
    },
  ]),
  {
    text: '... while talking to mfsmax.docomo.ne.jp.:\n>>> DATA\n<<< 550 Unknown user ghost@docomo.ne.jp',
    recipient: 'ghost@docomo.ne.jp',
    want: 'policy antispam_system',
  },
  {
    text: 'host mx.example.com said: 550 5.1.1 User unknown (in reply to end of DATA command)',
    want: 'hard mailbox_not_found',
  },
  // A domain that does not exist.
  { text: '550 Host unknown', status: '5.1.2', want: 'hard no_dns_entries' },
  { text: '550 <ghost@example.com>... Host unknown (Name server: x: host not found)', want: 'hard no_dns_entries' },
  {
    text: '550 5.4.310 DNS domain example.com does not exist [Message=InfoDomainNonexistent]',
    status: '5.4.310',
    want: 'hard no_dns_entries',
    reply: '550 5.4.310 DNS domain example.com does not exist [Message=InfoDomainNonexistent]',
  },
  { text: "Sorry, I couldn't find a mail exchanger or IP address. (#5.4.4)", want: 'hard no_dns_entries' },
  { text: '550 Host unknown', want: 'policy antispam_system' },
  // Brackets of the reply itself stay.
  {
    text: 'Remote host said: 550 5.1.1 User unknown (see RFC 5321)\nGiving up on 203.0.113.1.',
    want: 'hard mailbox_not_found',
    reply: '550 5.1.1 User unknown (see RFC 5321)',
  },
  {
    text: 'host mx.example.com said: 550 5.7.1 Blocked (by policy [PH01]) (in reply to RCPT TO command)',
    want: 'policy antispam_system',
    reply: '550 5.7.1 Blocked (by policy [PH01])',
  },
  {
    text: '(reason: 550 5.1.1 User unknown [AB12])',
    want: 'hard mailbox_not_found',
    reply: '550 5.1.1 User unknown [AB12]',
  },
])(
  'a failure in the words of a mail server: $text, status $status: $want',
  ({ text, status = null, recipient = 'ghost@example.com', want, reply }) => {
    const read = classifyFailure({ recipient, text, status, remoteMta: '' });
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
])('a message: %s', async (_name, message, want) => {
  expect(await failedIn(message)).toEqual(want);
});
