import type { BounceKind } from '../../src/model/bounce.js';
import { originalMessage, report, shapes } from './shapes.js';

/** A message and its label, which was assigned by hand before the program read it. */
export interface LabeledMessage {
  name: string;
  raw: string;
  /** The kind of a message that is not a bounce. */
  is?: 'delay' | 'automatic' | 'other';
  /** The failed recipients. */
  want: Record<string, BounceKind>;
}

type LabeledReply = readonly [kind: BounceKind, status: string, reply: string];

/** Replies as mail servers send them. TO is the recipient. */
const replies: readonly LabeledReply[] = [
  ['hard', '5.1.1', '550 5.1.1 <TO>: Recipient address rejected: User unknown in virtual mailbox table'],
  [
    'hard',
    '5.1.1',
    "550-5.1.1 The email account that you tried to reach does not exist. Please try 550-5.1.1 double-checking the recipient's email address for typos or 550 5.1.1 unnecessary spaces. a640c23a62f3a - gsmtp",
  ],
  ['hard', '5.0.0', '550 No such user here'],
  ['hard', '5.2.1', '550 5.2.1 The email account that you tried to reach is disabled.'],
  ['hard', '5.1.10', '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient TO not found by SMTP address lookup'],
  ['soft', '5.2.2', '552 5.2.2 <TO>: Mailbox is full / Blocks limit exceeded / Inode limit exceeded'],
  ['soft', '4.2.2', '452 4.2.2 The email account that you tried to reach is over quota.'],
  ['soft', '4.3.2', '421 4.3.2 Service not available, closing transmission channel'],
  [
    'policy',
    '5.7.1',
    '554 5.7.1 Service unavailable; Client host [198.51.100.7] blocked using zen.spamhaus.org; https://www.spamhaus.org/query/ip/198.51.100.7',
  ],
  [
    'policy',
    '5.7.26',
    "550 5.7.26 Unauthenticated email from sender.example is not accepted due to domain's DMARC policy.",
  ],
  ['policy', '5.3.4', '552 5.3.4 Message size exceeds fixed maximum message size'],
];

const byShape: LabeledMessage[] = Object.entries(shapes).flatMap(([name, shape], at) =>
  replies.map(([kind, status, text], number): LabeledMessage => {
    const to = `reader${at}.${number}@rcpt${number}.example`;
    return {
      name: `${name}: ${text.slice(0, 40)}`,
      raw: shape({ to, status, reply: text.replaceAll('TO', to) }),
      want: { [to]: kind },
    };
  }),
);

function text(fields: string, body: string): string {
  return `${fields}\nTo: news@sender.example\nDate: Tue, 3 Nov 2026 10:11:12 +0000\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n${body}`;
}

const daemon = (subject: string): string =>
  `Return-Path: <>\nFrom: Mail Delivery Subsystem <MAILER-DAEMON@out.sender.example>\nSubject: ${subject}`;

const qmail = (lines: string): string =>
  text(
    'Return-Path: <>\nFrom: MAILER-DAEMON@out.sender.example\nSubject: failure notice',
    `Hi. This is the qmail-send program at out.sender.example.\nI'm afraid I wasn't able to deliver your message to the following addresses.\nThis is a permanent error; I've given up. Sorry it didn't work out.\n\n${lines}\n\n--- Below this line is a copy of the message.\n\n${originalMessage('x@rcpt.example')}`,
  );

const exim = (to: string, reason: string): string =>
  text(
    `Return-Path: <>\nFrom: Mail Delivery System <Mailer-Daemon@out.sender.example>\nSubject: Mail delivery failed: returning message to sender\nX-Failed-Recipients: ${to}\nAuto-Submitted: auto-replied`,
    `This message was created automatically by mail delivery software.\n\nA message that you sent could not be delivered to one or more of its\nrecipients. This is a permanent error. The following address(es) failed:\n\n  ${to}\n    ${reason}\n\n------ This is a copy of the message, including all the headers. ------\n\n${originalMessage(to)}`,
  );

const fields = (to: string, action: string, status: string, diagnostic: string): string =>
  `Final-Recipient: rfc822; ${to}\nAction: ${action}\nStatus: ${status}\n${diagnostic === '' ? '' : `Diagnostic-Code: ${diagnostic}\n`}`;

const simple = (recipients: string, body = 'Your message could not be delivered.\n'): string =>
  report({
    from: 'MAILER-DAEMON@out.sender.example',
    subject: 'Undelivered Mail',
    to: 'a@rcpt.example',
    text: body,
    recipients,
  });

const arf = (type: string, recipient: string, to: string): string => `From: feedback@isp.example
To: fbl@sender.example
Subject: FW: Our autumn offers
Date: Tue, 3 Nov 2026 10:11:12 +0000
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report; boundary="arf1"

--arf1
Content-Type: text/plain; charset=us-ascii

This is an email abuse report for an email message received from IP 198.51.100.7.
--arf1
Content-Type: message/feedback-report

Feedback-Type: ${type}
User-Agent: SomeGenerator/1.0
Version: 1
${recipient}Reporting-MTA: dns; mail.isp.example

--arf1
Content-Type: message/rfc822

${originalMessage(to)}
--arf1--
`;

const special: readonly LabeledMessage[] = [
  {
    name: 'qmail: no mailbox',
    raw: qmail('<a@rcpt.example>:\nSorry, no mailbox here by that name. (#5.1.1)'),
    want: { 'a@rcpt.example': 'hard' },
  },
  {
    name: 'qmail: no host',
    raw: qmail("<a@gone.example>:\nSorry, I couldn't find any host named gone.example. (#5.1.2)"),
    want: { 'a@gone.example': 'hard' },
  },
  {
    name: 'qmail: queue',
    raw: qmail(
      "<a@rcpt.example>:\n192.0.2.1 does not like recipient.\nRemote host said: 451 4.3.0 try again later\nGiving up on 192.0.2.1.\nI'm not going to try again; this message has been in the queue too long.",
    ),
    want: { 'a@rcpt.example': 'soft' },
  },
  {
    name: 'qmail: connection',
    raw: qmail(
      "<a@rcpt.example>:\nSorry, I wasn't able to establish an SMTP connection. (#4.4.1)\nI'm not going to try again; this message has been in the queue too long.",
    ),
    want: { 'a@rcpt.example': 'soft' },
  },
  { name: 'qmail: quota', raw: qmail('<a@rcpt.example>:\nuser is over quota'), want: { 'a@rcpt.example': 'soft' } },
  {
    name: 'qmail: vpopmail',
    raw: qmail('<a@rcpt.example>:\nThis address no longer accepts mail.'),
    want: { 'a@rcpt.example': 'hard' },
  },
  {
    name: 'qmail: two recipients',
    raw: qmail(
      '<a@rcpt.example>:\n192.0.2.1 does not like recipient.\nRemote host said: 550 5.1.1 unknown user\nGiving up on 192.0.2.1.\n\n<b@full.example>:\n192.0.2.2 does not like recipient.\nRemote host said: 552 5.2.2 Mailbox full\nGiving up on 192.0.2.2.',
    ),
    want: { 'a@rcpt.example': 'hard', 'b@full.example': 'soft' },
  },
  { name: 'exim: unrouteable', raw: exim('a@rcpt.example', 'Unrouteable address'), want: { 'a@rcpt.example': 'hard' } },
  {
    name: 'exim: no MX',
    raw: exim('a@gone.example', 'all relevant MX records point to non-existent hosts'),
    want: { 'a@gone.example': 'hard' },
  },
  {
    name: 'exim: retry timeout',
    raw: exim('a@rcpt.example', 'retry timeout exceeded'),
    want: { 'a@rcpt.example': 'soft' },
  },
  {
    name: 'exim: quota',
    raw: exim('a@rcpt.example', 'mailbox is full: retry timeout exceeded'),
    want: { 'a@rcpt.example': 'soft' },
  },
  { name: 'exim: unknown local user', raw: exim('a@rcpt.example', 'Unknown user'), want: { 'a@rcpt.example': 'hard' } },
  {
    name: 'exim: data refused',
    raw: exim(
      'a@rcpt.example',
      'SMTP error from remote mail server after end of data:\n    host mx.rcpt.example [192.0.2.25]: 554 5.7.1 Message contains spam or virus',
    ),
    want: { 'a@rcpt.example': 'policy' },
  },
  {
    name: 'exim: sender refused',
    raw: exim(
      'a@rcpt.example',
      'SMTP error from remote mail server after MAIL FROM:<news@sender.example> SIZE=2213:\n    host mx.rcpt.example [192.0.2.25]: 550 5.1.1 unknown user',
    ),
    want: { 'a@rcpt.example': 'policy' },
  },
  {
    name: 'exim: three recipients',
    raw: exim(
      'a@rcpt.example, b@gone.example, c@block.example',
      'SMTP error from remote mail server after RCPT TO:<a@rcpt.example>:\n    host mx.rcpt.example [192.0.2.25]: 550 5.1.1 User unknown\n  b@gone.example\n    all relevant MX records point to non-existent hosts\n  c@block.example\n    SMTP error from remote mail server after RCPT TO:<c@block.example>:\n    host mx.block.example [192.0.2.26]: 550 Blocked by Spamhaus',
    ),
    want: { 'a@rcpt.example': 'hard', 'b@gone.example': 'hard', 'c@block.example': 'policy' },
  },
  {
    name: 'postfix: no domain',
    raw: simple(
      fields(
        'a@gone.example',
        'failed',
        '5.4.4',
        'X-Postfix; Host or domain name not found. Name service error\n    for name=gone.example type=AAAA: Host not found',
      ),
    ),
    want: { 'a@gone.example': 'hard' },
  },
  {
    name: 'postfix: null MX',
    raw: simple(
      fields('a@null.example', 'failed', '5.1.0', 'X-Postfix; Domain null.example does not accept mail (nullMX)'),
    ),
    want: { 'a@null.example': 'hard' },
  },
  {
    name: 'postfix: connection',
    raw: simple(
      fields(
        'a@rcpt.example',
        'failed',
        '4.4.1',
        'X-Postfix; connect to mx.rcpt.example[192.0.2.25]:25: Connection timed out',
      ),
    ),
    want: { 'a@rcpt.example': 'soft' },
  },
  {
    name: 'postfix: local user',
    raw: simple(fields('a@rcpt.example', 'failed', '5.1.1', 'X-Postfix; unknown user: "a"')),
    want: { 'a@rcpt.example': 'hard' },
  },
  {
    name: 'postfix: loop',
    raw: simple(fields('a@rcpt.example', 'failed', '5.4.6', 'X-Postfix; mail for rcpt.example loops back to myself')),
    want: { 'a@rcpt.example': 'soft' },
  },
  {
    name: 'postfix: temporary DNS',
    raw: simple(
      fields(
        'a@rcpt.example',
        'failed',
        '4.4.3',
        'X-Postfix; Host or domain name not found. Name service error for name=rcpt.example type=MX: Host not found, try again',
      ),
    ),
    want: { 'a@rcpt.example': 'soft' },
  },
  {
    name: 'postfix: maildrop quota',
    raw: simple(fields('a@rcpt.example', 'failed', '5.2.2', 'x-unix; maildrop: maildir over quota.')),
    want: { 'a@rcpt.example': 'soft' },
  },
  {
    name: 'sendmail: host unknown',
    raw: simple(
      fields('a@gone.example', 'failed', '5.1.2', ''),
      '   ----- The following addresses had permanent fatal errors -----\n<a@gone.example>\n\n   ----- Transcript of session follows -----\n550 5.1.2 <a@gone.example>... Host unknown (Name server: gone.example: host not found)\n',
    ),
    want: { 'a@gone.example': 'hard' },
  },
  {
    name: 'sendmail: queue',
    raw: simple(
      fields('a@rcpt.example', 'failed', '4.4.7', ''),
      '   ----- The following addresses had permanent fatal errors -----\n<a@rcpt.example>\n\n   ----- Transcript of session follows -----\nMessage could not be delivered for 5 days\nMessage will be deleted from queue\n',
    ),
    want: { 'a@rcpt.example': 'soft' },
  },
  {
    name: 'sendmail: 5.1.1 for a refusal of the client',
    raw: simple(
      fields(
        'a@rcpt.example',
        'failed',
        '5.1.1',
        'SMTP; 550 Connection from 198.51.100.7 refused, see http://www.spamcop.net',
      ),
    ),
    want: { 'a@rcpt.example': 'policy' },
  },
  {
    name: 'status only: unknown user',
    raw: simple(fields('a@rcpt.example', 'failed', '5.1.1', '')),
    want: { 'a@rcpt.example': 'hard' },
  },
  {
    name: 'status only: full',
    raw: simple(fields('a@rcpt.example', 'failed', '5.2.2', '')),
    want: { 'a@rcpt.example': 'soft' },
  },
  {
    name: 'status only: policy',
    raw: simple(fields('a@rcpt.example', 'failed', '5.7.1', '')),
    want: { 'a@rcpt.example': 'policy' },
  },
  {
    name: 'status 5.0.0 and no words',
    raw: simple(fields('a@rcpt.example', 'failed', '5.0.0', '')),
    want: { 'a@rcpt.example': 'unreadable' },
  },
  {
    name: 'five recipients in one report',
    raw: simple(
      [
        fields('a@rcpt.example', 'failed', '5.1.1', 'smtp; 550 5.1.1 User unknown'),
        fields('b@rcpt.example', 'failed', '5.2.2', 'smtp; 552 5.2.2 Over quota'),
        fields('c@rcpt.example', 'delayed', '4.4.1', 'smtp; 421 try later'),
        fields('d@rcpt.example', 'delivered', '2.0.0', 'smtp; 250 OK'),
        fields('e@rcpt.example', 'failed', '5.7.1', 'smtp; 554 5.7.1 Rejected as spam'),
      ].join('\n'),
    ),
    want: { 'a@rcpt.example': 'hard', 'b@rcpt.example': 'soft', 'e@rcpt.example': 'policy' },
  },
  {
    name: 'recipients without an empty line between them',
    raw: simple(
      `${fields('a@rcpt.example', 'failed', '5.1.1', 'smtp; 550 5.1.1 User unknown')}${fields('b@rcpt.example', 'failed', '5.2.2', 'smtp; 552 5.2.2 full')}`,
    ),
    want: { 'a@rcpt.example': 'hard', 'b@rcpt.example': 'soft' },
  },
  {
    name: 'a forwarded address',
    raw: simple(
      `Original-Recipient: rfc822;info@list.example\n${fields('a@rcpt.example', 'failed', '5.1.1', 'smtp; 550 5.1.1 User unknown')}`,
    ),
    want: { 'info@list.example': 'hard' },
  },
  {
    name: 'an international address (RFC 6533)',
    raw: simple(
      'Final-Recipient: utf-8; j\\x{FC}rgen@rcpt.example\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 User unknown\n',
    ),
    want: { 'jürgen@rcpt.example': 'hard' },
  },
  {
    name: 'Domino: not listed',
    raw: simple(
      fields('a@rcpt.example', 'failed', '5.0.0', 'X-Notes; User a (a@rcpt.example) not listed in Domino Directory'),
    ),
    want: { 'a@rcpt.example': 'hard' },
  },
  {
    name: 'Exchange 5.5: not recognized',
    raw: text(
      'From: System Administrator <postmaster@rcpt.example>\nSubject: Undeliverable: Our autumn offers',
      'Your message\n\n  To:      a@rcpt.example\n  Subject: Our autumn offers\n  Sent:    Tue, 3 Nov 2026 10:11:12 +0000\n\ndid not reach the following recipient(s):\n\na@rcpt.example on Tue, 3 Nov 2026 10:11:13 +0000\n    The recipient name is not recognized\n\tThe MTS-ID of the original message is: c=us;a= ;p=rcpt;l=EX1\n    MSEXCH:IMS:RCPT:SITE:EX1 0 (000C05A6) Unknown Recipient\n',
    ),
    want: { 'a@rcpt.example': 'hard' },
  },
  {
    name: 'Exchange 2003: no account',
    raw: text(
      'From: postmaster@rcpt.example\nSubject: Undeliverable: Our autumn offers',
      'Your message did not reach some or all of the intended recipients.\n\n      Subject:  Our autumn offers\n      Sent:     11/3/2026 10:11 AM\n\nThe following recipient(s) could not be reached:\n\n      a@rcpt.example on 11/3/2026 10:11 AM\n            The e-mail account does not exist at the organization this message was sent to.  Check the e-mail address, or contact the recipient directly to find out the correct address.\n            <mx.rcpt.example #5.1.1>\n',
    ),
    want: { 'a@rcpt.example': 'hard' },
  },
  {
    name: 'Exchange Online: access denied',
    raw: simple(
      `Final-Recipient: rfc822;a@rcpt.example\nAction: failed\nStatus: 5.4.1\nRemote-MTA: dns; rcpt-example.mail.protection.outlook.com\nDiagnostic-Code: smtp;550 5.4.1 Recipient address rejected: Access denied. AS(201806281) [DB5EUR01FT042.eop-EUR01.prod.protection.outlook.com]\n`,
    ),
    want: { 'a@rcpt.example': 'hard' },
  },
  {
    name: 'Outlook.com: mailbox unavailable',
    raw: simple(
      'Final-Recipient: rfc822;a@outlook.com\nAction: failed\nStatus: 5.5.0\nRemote-MTA: dns; outlook-com.olc.protection.outlook.com\nDiagnostic-Code: smtp;550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302).\n',
    ),
    want: { 'a@outlook.com': 'hard' },
  },
  {
    name: 'Outlook.com: blocked network',
    raw: simple(
      "Final-Recipient: rfc822;a@outlook.com\nAction: failed\nStatus: 5.7.1\nRemote-MTA: dns; outlook-com.olc.protection.outlook.com\nDiagnostic-Code: smtp;550 5.7.1 Unfortunately, messages from [198.51.100.7] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3150).\n",
    ),
    want: { 'a@outlook.com': 'policy' },
  },
  {
    name: 'Yahoo: complaints',
    raw: simple(
      fields(
        'a@yahoo.com',
        'failed',
        '4.7.0',
        'smtp; 421 4.7.0 [TSS04] Messages from 198.51.100.7 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1',
      ),
    ),
    want: { 'a@yahoo.com': 'policy' },
  },
  {
    name: 'Yahoo: no account',
    raw: simple(
      fields(
        'a@yahoo.com',
        'failed',
        '5.0.0',
        "smtp; 554 delivery error: dd This user doesn't have a yahoo.com account (a@yahoo.com) [0] - mta1234.mail.bf1.yahoo.com",
      ),
    ),
    want: { 'a@yahoo.com': 'hard' },
  },
  {
    name: 'Gmail: address not found',
    raw: simple(
      fields(
        'a@gmail.com',
        'failed',
        '5.1.1',
        "smtp; 550-5.1.1 The email account that you tried to reach does not exist. Please try\n 550-5.1.1 double-checking the recipient's email address for typos or\n 550 5.1.1 unnecessary spaces. Learn more at https://support.google.com/mail/?p=NoSuchUser - gsmtp",
      ),
      "\n** Address not found **\n\nYour message wasn't delivered to a@gmail.com because the address couldn't be found, or is unable to receive mail.\n",
    ),
    want: { 'a@gmail.com': 'hard' },
  },
  {
    name: 'Gmail: domain not found',
    raw: simple(
      fields('a@gone.example', 'failed', '4.0.0', ''),
      "\n** Address not found **\n\nYour message wasn't delivered to a@gone.example because the domain gone.example couldn't be found. Check for typos or unnecessary spaces and try again.\n\nThe response was:\n\nDNS Error: DNS type 'mx' lookup of gone.example responded with code NXDOMAIN Domain name not found: gone.example\n",
    ),
    want: { 'a@gone.example': 'hard' },
  },
  {
    name: 'Gmail: rate of unsolicited mail',
    raw: simple(
      fields(
        'a@gmail.com',
        'failed',
        '5.7.28',
        'smtp; 550-5.7.28 Gmail has detected an unusual rate of unsolicited mail originating 550 5.7.28 from your IP address. gsmtp',
      ),
    ),
    want: { 'a@gmail.com': 'policy' },
  },
  {
    name: 'greylisted until the queue ended',
    raw: simple(
      fields(
        'a@rcpt.example',
        'failed',
        '4.7.1',
        'smtp; 450 4.7.1 <a@rcpt.example>: Recipient address rejected: Greylisted, see http://postgrey.schweikert.ch/help/rcpt.example.html',
      ),
    ),
    want: { 'a@rcpt.example': 'soft' },
  },
  {
    name: 'relay denied',
    raw: simple(fields('a@rcpt.example', 'failed', '5.7.1', 'smtp; 554 5.7.1 <a@rcpt.example>: Relay access denied')),
    want: { 'a@rcpt.example': 'policy' },
  },
  {
    name: 'no reverse DNS',
    raw: simple(
      fields(
        'a@rcpt.example',
        'failed',
        '5.7.25',
        'smtp; 550 5.7.25 The IP address sending this message does not have a PTR record setup',
      ),
    ),
    want: { 'a@rcpt.example': 'policy' },
  },
  {
    name: 'sender domain',
    raw: simple(
      fields(
        'a@rcpt.example',
        'failed',
        '5.1.8',
        'smtp; 553 5.1.8 <news@sender.example>: Sender address rejected: Domain not found',
      ),
    ),
    want: { 'a@rcpt.example': 'policy' },
  },
  {
    name: 'a report without boundaries',
    raw: simple(fields('a@rcpt.example', 'failed', '5.1.1', 'smtp; 550 5.1.1 User unknown'))
      .replace(/;\n\tboundary="[^"]+"/, '')
      .replace(/^--B0undary.*$/gm, ''),
    want: { 'a@rcpt.example': 'hard' },
  },
  {
    name: 'CR LF',
    raw: simple(fields('a@rcpt.example', 'failed', '5.1.1', 'smtp; 550 5.1.1 User unknown')).replaceAll('\n', '\r\n'),
    want: { 'a@rcpt.example': 'hard' },
  },
  {
    name: 'CR',
    raw: simple(fields('a@rcpt.example', 'failed', '5.1.1', 'smtp; 550 5.1.1 User unknown')).replaceAll('\n', '\r'),
    want: { 'a@rcpt.example': 'hard' },
  },
  {
    name: 'HTML only',
    raw: `${daemon('Undeliverable: Our autumn offers')}\nTo: news@sender.example\nMIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\n\n<html><body><p>Delivery has failed to these recipients:</p><p><a href="mailto:a@rcpt.example">a@rcpt.example</a><br>The email address you entered couldn&#39;t be found.</p><p>Remote Server returned &#39;550 5.1.1 User unknown&#39;</p></body></html>`,
    want: { 'a@rcpt.example': 'hard' },
  },
  {
    name: 'quoted-printable text',
    raw: `${daemon('Undelivered Mail')}\nTo: news@sender.example\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\nYour message could not be delivered to:\n\n  a@rcpt.e=\nxample: 550 5.1.1 Us=65r unknown\n`,
    want: { 'a@rcpt.example': 'hard' },
  },
  {
    name: 'German',
    raw: text(
      daemon('Unzustellbar: Herbstangebote'),
      "Fehler bei der Nachrichtenzustellung an folgende Empfänger:\n\na@rcpt.example\nDie eingegebene E-Mail-Adresse konnte nicht gefunden werden.\n\nRemote Server returned '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup'\n",
    ),
    want: { 'a@rcpt.example': 'hard' },
  },
  {
    name: 'French',
    raw: text(
      daemon('Non remis : Nos offres'),
      'Échec de la remise pour ces destinataires ou groupes :\n\na@rcpt.example\nLa boîte aux lettres du destinataire est pleine.\n\n#552 5.2.2 mailbox full ##\n',
    ),
    want: { 'a@rcpt.example': 'soft' },
  },
  {
    name: 'Japanese',
    raw: text(
      'Return-Path: <>\nFrom: postmaster@rcpt.example\nSubject: Undeliverable message',
      '------- Failure Reasons  --------\n\nUser not listed in public Name & Address Book\na@rcpt.example\n\n------- Returned Message --------\nReceived: from x\nTo: a@rcpt.example\n',
    ),
    want: { 'a@rcpt.example': 'hard' },
  },
  {
    name: 'an address in the subject only, no reason',
    raw: text(daemon('Undelivered Mail Returned to Sender'), 'Your message could not be delivered.\n'),
    want: { '': 'unreadable' },
  },
  {
    name: 'IMail: invalid user',
    raw: text(
      'From: "Postmaster" <postmaster@rcpt.example>\nSubject: Undeliverable Mail\nX-Mailer: <SMTP32 v8.12>',
      `Invalid final delivery userid: a@rcpt.example\n\n\nOriginal message follows.\n\n${originalMessage('a@list.example')}`,
    ),
    want: { 'a@rcpt.example': 'hard' },
  },
  {
    name: 'MailMarshal: the reply precedes the recipient',
    raw: text(
      'From: postmaster@gate.example\nSubject: Undeliverable Mail: "Our autumn offers"',
      'Your message:\n   From:    news@sender.example\n   Subject: Our autumn offers\n\nCould not be delivered because of\n\n550 5.1.1 User unknown\n\nThe following recipients were affected: \n    a@rcpt.example\n\nAdditional Information\n======================\nOriginal Sender:    <news@sender.example>\nSender-MTA:         <198.51.100.7>\nRemote-MTA:         <192.0.2.1>\n',
    ),
    want: { 'a@rcpt.example': 'hard' },
  },
  {
    name: 'Mail2000: reason in brackets',
    raw: text(
      'Return-Path: <>\nFrom: "Mail Deliver System" <MAILER-DAEMON>\nSubject: Returned Mail: User unknown',
      'The original message was received at Tue, 3 Nov 2026 10:11:12 +0000\nfrom news@sender.example\n\n---The following addresses had delivery errors---\n\na@rcpt.example [User unknown]\n',
    ),
    want: { 'a@rcpt.example': 'hard' },
  },
  {
    name: 'SendGrid: action expired, no status',
    raw: simple(
      'Final-Recipient: rfc822; a@rcpt.example\nOriginal-Recipient: rfc822; a@rcpt.example\nAction: expired\nStatus: \nDiagnostic-Code: Connection timed out\n',
    ),
    want: { 'a@rcpt.example': 'soft' },
  },
  {
    name: 'a carrier: the recipient among details',
    raw: text(
      'From: post_master@rcpt.example\nSubject: Re:Our autumn offers',
      'Error: Invalid user address\n\nError message below:\n550 - Requested action not taken: no such user here\n\nMessage details:\n  Subject: Our autumn offers\n  Sent date: Tue Nov 03 10:11:12 GMT 2026\n  MAIL FROM: news@sender.example\n  RCPT TO: 5551234567@rcpt.example\n  From: news@sender.example\n  Size (in bytes): 39\n',
    ),
    want: { '5551234567@rcpt.example': 'hard' },
  },
  {
    name: 'qmail: mail to oneself',
    raw: text(
      'Return-Path: <>\nDelivered-To: news@sender.example\nFrom: MAILER-DAEMON@out.sender.example\nSubject: failure notice',
      "Hi. This is the qmail-send program at out.sender.example.\nI'm afraid I wasn't able to deliver your message to the following addresses.\n\n<news@sender.example>:\n192.0.2.1 does not like recipient.\nRemote host said: 552 Error: disk quota exceeded\nGiving up on 192.0.2.1.\n\n--- Below this line is a copy of the message.\n",
    ),
    want: { 'news@sender.example': 'soft' },
  },
  {
    name: 'Exim: only the local part in the text',
    raw: exim(
      'a@rcpt.example',
      'SMTP error from remote mail server after MAIL FROM:<news@sender.example> SIZE=1543:\n    host mx.rcpt.example [192.0.2.25]: 550 5.7.0 <news@sender.example>... Please use the smtp server of your ISP.',
    ).replace('\n  a@rcpt.example\n', '\n  a\n'),
    want: { 'a@rcpt.example': 'policy' },
  },
  {
    name: 'OpenSMTPD: expired',
    raw: text(
      'Return-Path: <>\nFrom: Mailer Daemon <MAILER-DAEMON@out.sender.example>\nSubject: Delivery status notification: error',
      `    Hi!\n\n    This is the MAILER-DAEMON, please DO NOT REPLY to this e-mail.\n\n    An error has occurred while attempting to deliver a message for\n    the following list of recipients:\n\na@rcpt.example: Envelope expired\n\n    Below is a copy of the original message:\n\n${originalMessage('a@rcpt.example')}`,
    ),
    want: { 'a@rcpt.example': 'soft' },
  },
  {
    name: 'Gmail: no connection',
    raw: text(
      'Return-Path: <>\nFrom: Mail Delivery Subsystem <mailer-daemon@googlemail.com>\nSubject: Delivery Status Notification (Failure)\nX-Failed-Recipients: a@rcpt.example',
      `Delivery to the following recipient failed permanently:\n\n     a@rcpt.example\n\nTechnical details of permanent failure: \nThe recipient server did not accept our requests to connect. Learn more at http://support.google.com/mail/bin/answer.py?answer=7720 \n[(0) rcpt.example. [2001:db8:220:6d:26bf:1447:1097:aa7]:25: socket error]\n\n----- Original message -----\n\n${originalMessage('a@rcpt.example')}`,
    ),
    want: { 'a@rcpt.example': 'soft' },
  },
  {
    name: 'Active!hunter: a report without its part',
    raw: report({
      from: '"MAILER-DAEMON" <MAILER-DAEMON@rcpt.example>',
      subject: 'FAILURE NOTICE : Our autumn offers',
      to: 'a@rcpt.example',
      text: 'The original message was received at Tue, 3 Nov 2026 10:11:12 +0000\nfrom sender.example\n\n  ----- The following addresses had permanent fatal errors -----\n\n>>> a@rcpt.example <a@rcpt.example>\n\n  ----- Transcript of session follows -----\n550 <a@rcpt.example>: Recipient address rejected: User unknown in local recipient table\n',
      recipients: '',
    }).replace(/--B0undary[^\n]*\nContent-Type: message\/delivery-status[\s\S]*?(?=--B0undary)/, ''),
    want: { 'a@rcpt.example': 'hard' },
  },
  {
    name: 'the fields of a recipient in another order',
    raw: simple(
      'Diagnostic-Code: SMTP; 550 5.1.1 RCP-P1 http://postmaster.rcpt.example/response_codes?ip=192.0.2.54#rcp Recipient address does not exist\nStatus: 5.1.1\nFinal-Recipient: rfc822; a@rcpt.example\nLast-Attempt-Date: Tue, 3 Nov 2026 10:11:12 +0000\nAction: failed\n',
    ),
    want: { 'a@rcpt.example': 'hard' },
  },
  {
    name: 'Oracle Messaging Server: illegal domain',
    raw: simple(
      'Original-recipient: rfc822;a@gone.example\nFinal-recipient: rfc822;a@gone.example\nAction: failed\nStatus: 5.4.4 (Illegal host/domain name found)\n',
      '  Recipient address: a@gone.example\n  Reason: Illegal host/domain name found\n',
    ),
    want: { 'a@gone.example': 'hard' },
  },
  {
    name: 'sendmail 5: transcript only',
    raw: text(
      'Return-Path: <MAILER-DAEMON@rcpt.example>\nFrom: Mail Delivery Subsystem <MAILER-DAEMON@rcpt.example>\nSubject: Returned mail: Deferred: Connection timed out during user open with rcpt.example',
      `   ----- Transcript of session follows -----\nWhile talking to mx.rcpt.example:\n>>> RCPT To:<a@rcpt.example>\n<<< 550 <a@rcpt.example>, User Unknown\n550 <a@rcpt.example>... User unknown\n421 rcpt.example (smtp)... Deferred: Connection timed out during user open with rcpt.example\n\n   ----- Unsent message follows -----\n${originalMessage('a@rcpt.example')}`,
    ),
    want: { 'a@rcpt.example': 'hard' },
  },
  {
    name: 'MX Logic: address and reply on a line',
    raw: text(
      daemon('Mail delivery failed'),
      `This message was created automatically by mail delivery software.\n\nA message that you have sent could not be delivered to one or more\nrecipients.  This is a permanent error.  The following address failed:\n\n  <a@rcpt.example>: 550 5.1.1 <a@rcpt.example>: Recipient address rejected: User unknown in local recipient table\n\nIncluded is a copy of the message header:\n-----------------------------------------\n${originalMessage('a@rcpt.example')}`,
    ),
    want: { 'a@rcpt.example': 'hard' },
  },
  {
    name: 'McAfee: fields without types in a mixed message',
    raw: simple(
      'Original-Recipient: <a@rcpt.example>\nAction: failed\nDiagnostic-Code: smtp; 550 Unknown user a@rcpt.example\nRemote-MTA: 192.0.2.192\n',
      '    --- The following addresses had delivery problems ---\n\n<a@rcpt.example>   (Unknown user a@rcpt.example)\n',
    )
      .replace('multipart/report; report-type=delivery-status', 'multipart/mixed')
      .replace(
        'Content-Type: message/delivery-status',
        'Content-Type: message/delivery-status; name="deliverystatus.txt"',
      ),
    want: { 'a@rcpt.example': 'hard' },
  },
  {
    name: 'MailFoundry: server failed with',
    raw: text(
      daemon('Message delivery has failed'),
      'Unable to deliver message to: <a@rcpt.example>\nDelivery failed for the following reason:\nServer mx22.rcpt.example[192.0.2.222] failed with: 550 <a@rcpt.example> No such user here\n\n\nThis has been a permanent failure.  No further delivery attempts will be made.\n',
    ),
    want: { 'a@rcpt.example': 'hard' },
  },
  {
    name: 'no account of the provider',
    raw: text(
      daemon('Delivery failure'),
      `Message from rcpt.example.\nUnable to deliver message to the following address(es).\n\n<a@rcpt.example>:\nThis user doesn't have a rcpt.example account (a@rcpt.example) [-9]\n\n--- Original message follows.\n\n${originalMessage('a@rcpt.example')}`,
    ),
    want: { 'a@rcpt.example': 'hard' },
  },
  {
    name: 'a hoster: full folder, and a telephone number',
    raw: text(
      daemon('failure notice'),
      `Your mail message to the following address(es) could not be delivered. This\nis a permanent error. Please verify the addresses and try again. If you are\nstill having difficulty sending mail to these addresses, please contact\nCustomer Support at 480-624-2500.\n\n<a@rcpt.example>:\nchild status 100...The e-mail message could not be delivered because the user's mailfolder is full.\n\n--- Below this line is a copy of the message.\n\n${originalMessage('a@rcpt.example')}`,
    ),
    want: { 'a@rcpt.example': 'soft' },
  },
  {
    name: 'a gateway that wraps a report in another message',
    raw: `${daemon('Returned mail: User unknown')}\nTo: "NotificationRecipients" <notify@gate.example>\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="TMMSG_1"\n\n--TMMSG_1\nContent-Type: text/plain\n\nThe original message was received at Tue Nov 3 10:11:12 2026\n----- The following addresses had permanent delivery errors -----\n\n--TMMSG_1\nContent-Type: message/rfc822\n\n${simple(fields('a@rcpt.example', 'failed', '5.1.1', 'smtp; 550 5.1.1 User unknown'))}\n--TMMSG_1--\n`,
    want: { 'a@rcpt.example': 'hard' },
  },
  {
    name: 'InterScan: a dialogue',
    raw: text(
      'Return-Path: <postmaster@rcpt.example>\nFrom: "InterScan MSS" <postmaster@rcpt.example>\nSubject: =?UTF-8?B?44Oh44OD44K744O844K444KS6YWN5L+h44Gn44GN44G+44Gb44KT?=',
      'Sent <<< RCPT TO:<a@rcpt.example>\nReceived >>> 550 <a@rcpt.example>... user unknown\n\n************************     End of message     **********************\n',
    ),
    want: { 'a@rcpt.example': 'hard' },
  },
  {
    name: '1&1: message too large',
    raw: text(
      'From: "Mail Delivery System" <mailer-daemon@kundenserver.example>\nSubject: Mail delivery failed: returning message to sender',
      `This message was created automatically by mail delivery software.\n\nA message that you sent could not be delivered to one or more of\nits recipients. This is a permanent error.\n\nThe following address failed:\n\na@rcpt.example\n\nFor the following reason:\n\nMail size limit exceeded. For explanation visit\nhttp://postmaster.rcpt.example/en/error-messages?ip=%1s\n\n--- The header of the original message is following. ---\n\n${originalMessage('a@rcpt.example')}`,
    ),
    want: { 'a@rcpt.example': 'policy' },
  },
  {
    name: 'm-FILTER: Japanese, with the message of the server',
    raw: text(
      'From: POSTMASTER <postmaster@rcpt.example>\nSubject: failure notice',
      `このメールは「m-FILTER」が自動的に生成して送信しています。\nメールサーバーとの通信中、下記の理由により\nこのメールは送信できませんでした。\n\n以下のメールアドレスへの送信に失敗しました。\na@rcpt.example\n\n\n-------server message\n550 unknown user <a@rcpt.example>\n\n-------SMTP command\nDATA\n\n-------original message\n${originalMessage('a@rcpt.example')}`,
    ),
    want: { 'a@rcpt.example': 'hard' },
  },
  {
    name: 'Biglobe: too many messages',
    raw: text(
      'From: postmaster@rcpt.example\nSubject: Returned mail: Service unavailable',
      "   ----- The following addresses had delivery problems -----\na@rcpt.example\n\n   ----- Non-delivered information -----\nThe number of messages in recipient's mailbox exceeded the local limit.\n",
    ),
    want: { 'a@rcpt.example': 'soft' },
  },
  {
    name: 'KDDI: from the recipient, with a null sender',
    raw: text(
      'Return-Path: <>\nFrom: a@rcpt.example\nSubject: Mail',
      'Your mail sent on: Tue, 3 Nov 2026 10:11:12 +0000 \n     Could not be delivered to: <b@rcpt.example> \n     As their mailbox is full.\n',
    ),
    want: { 'b@rcpt.example': 'soft' },
  },
  {
    name: 'Bigfoot: invalid recipient under 5.7.1',
    raw: simple(
      'Final-Recipient: RFC822; <a@rcpt.example>\nAction: failed\nStatus: 5.7.1\nRemote-MTA: DNS; p01c11m075.mx.rcpt.example\nDiagnostic-Code: SMTP; 553 Invalid recipient a@rcpt.example (Mode: normal)\n',
    ),
    want: { 'a@rcpt.example': 'hard' },
  },
  {
    name: 'ARF: abuse',
    raw: arf('abuse', 'Original-Rcpt-To: <a@isp.example>\n', 'a@isp.example'),
    want: { 'a@isp.example': 'complaint' },
  },
  {
    name: 'ARF: two recipients',
    raw: arf('abuse', 'Original-Rcpt-To: a@isp.example\nOriginal-Rcpt-To: b@isp.example\n', 'c@isp.example'),
    want: { 'a@isp.example': 'complaint', 'b@isp.example': 'complaint' },
  },
  {
    name: 'ARF: recipient of the message',
    raw: arf('abuse', '', 'a@isp.example'),
    want: { 'a@isp.example': 'complaint' },
  },
  {
    name: 'ARF: opt-out',
    raw: arf('opt-out', 'Removal-Recipient: a@isp.example\n', 'a@isp.example'),
    want: { 'a@isp.example': 'complaint' },
  },
  {
    name: 'ARF: not spam',
    raw: arf('not-spam', 'Original-Rcpt-To: <a@isp.example>\n', 'a@isp.example'),
    is: 'other',
    want: {},
  },
  {
    name: 'Postfix: delayed',
    raw: simple(
      fields('a@rcpt.example', 'delayed', '4.4.1', 'X-Postfix; connect to mx.rcpt.example: Connection refused'),
      '####################################################################\n# THIS IS A WARNING ONLY.  YOU DO NOT NEED TO RESEND YOUR MESSAGE. #\n####################################################################\n',
    ),
    is: 'delay',
    want: {},
  },
  {
    name: 'Exim: delayed',
    raw: text(
      'Return-Path: <>\nFrom: Mail Delivery System <Mailer-Daemon@out.sender.example>\nSubject: Warning: message 1XyzAb-0001Cd-Ef delayed 24 hours\nAuto-Submitted: auto-replied',
      'This message was created automatically by mail delivery software.\nA message that you sent has not yet been delivered to one or more of its\nrecipients after more than 24 hours on the queue on out.sender.example.\n\nThe address to which the message has not yet been delivered is:\n\n  a@rcpt.example\n\nNo action is required on your part. Delivery attempts will continue for\nsome time, and this warning may be repeated at intervals if the message\nremains undelivered.\n',
    ),
    is: 'delay',
    want: {},
  },
  {
    name: 'sendmail: delayed',
    raw: text(
      daemon('Warning: could not send message for past 4 hours'),
      '    **********************************************\n    **      THIS IS A WARNING MESSAGE ONLY      **\n    **  YOU DO NOT NEED TO RESEND YOUR MESSAGE  **\n    **********************************************\n\n   ----- The following addresses had transient non-fatal errors -----\n<a@rcpt.example>\n\n   ----- Transcript of session follows -----\n451 4.4.1 <a@rcpt.example>... Connection refused\nWill keep trying until message is 5 days old\n',
    ),
    is: 'delay',
    want: {},
  },
  {
    name: 'Gmail: delayed',
    raw: text(
      'Return-Path: <>\nFrom: Mail Delivery Subsystem <mailer-daemon@googlemail.com>\nSubject: Delivery Status Notification (Delay)',
      'Delivery to the following recipient has been delayed:\n\n     a@rcpt.example\n\nMessage will be retried for 2 more day(s)\n\nThe error that the other server returned was: 450 450 4.2.2 <a@rcpt.example>... Mailbox Full (state 14).\n',
    ),
    is: 'delay',
    want: {},
  },
  {
    name: 'delivered',
    raw: simple(fields('a@rcpt.example', 'delivered', '2.0.0', 'smtp; 250 2.0.0 OK')),
    is: 'other',
    want: {},
  },
  { name: 'relayed', raw: simple(fields('a@rcpt.example', 'relayed', '2.0.0', '')), is: 'other', want: {} },
  {
    name: 'out of office',
    raw: text(
      'From: Ada <a@rcpt.example>\nSubject: Automatic reply: Our autumn offers\nAuto-Submitted: auto-replied',
      'I am out of the office until Monday and will not be able to answer. Contact b@rcpt.example.\n',
    ),
    is: 'automatic',
    want: {},
  },
  {
    name: 'vacation with a null sender',
    raw: text(
      'Return-Path: <>\nFrom: Ada <a@rcpt.example>\nSubject: Out of office: delivery of mail is delayed\nAuto-Submitted: auto-replied',
      'Your message could not be read yet. I am away.\n',
    ),
    is: 'automatic',
    want: {},
  },
  {
    name: 'German absence',
    raw: text(
      'Return-Path: <>\nFrom: Ada <a@rcpt.example>\nSubject: Abwesenheitsnotiz: Herbstangebote\nX-Autoreply: yes',
      'Ich bin nicht im Hause.\n',
    ),
    is: 'automatic',
    want: {},
  },
  {
    name: 'a read receipt',
    raw: 'From: Ada <a@rcpt.example>\nTo: news@sender.example\nSubject: Read: Our autumn offers\nMIME-Version: 1.0\nContent-Type: multipart/report; report-type=disposition-notification; boundary="mdn1"\n\n--mdn1\nContent-Type: text/plain\n\nYour message was read.\n--mdn1\nContent-Type: message/disposition-notification\n\nFinal-Recipient: rfc822;a@rcpt.example\nDisposition: manual-action/MDN-sent-manually; displayed\n\n--mdn1--\n',
    is: 'automatic',
    want: {},
  },
  {
    name: 'an ordinary answer',
    raw: text(
      'From: Ada <a@rcpt.example>\nSubject: Re: Our autumn offers',
      'Thank you! My old address b@rcpt.example does not exist any more: 550 5.1.1 User unknown.\n',
    ),
    is: 'other',
    want: {},
  },
];

export const corpus: readonly LabeledMessage[] = [...byShape, ...special];
