/** The values that fill a shape. */
export interface Fill {
  to: string;
  /** The reply of the other server, on one line. */
  reply: string;
  /** `5.1.1`; `5.0.0` if the reply has none. */
  status: string;
}

/** The bounce as the mail server that the shape names writes it. */
export type Shape = (fill: Fill) => string;

const sender = 'news@sender.example';
const host = 'mx.rcpt.example';
const ip = '192.0.2.25';
const date = 'Tue, 3 Nov 2026 10:11:12 +0000';

function headers(fields: Record<string, string>): string {
  const all = { 'Return-Path': '<>', To: sender, Date: date, ...fields };
  return `${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')}\n\n`;
}

/** The message that was sent. */
export function originalMessage(to: string): string {
  return `Return-Path: <${sender}>
Received: from app.sender.example ([198.51.100.7]) by out.sender.example; Tue, 3 Nov 2026 10:11:10 +0000
From: News <${sender}>
To: ${to}
Subject: Our autumn offers
Message-ID: <20261103.1@sender.example>
Date: Tue, 3 Nov 2026 10:11:10 +0000

Dear reader, 550 new offers wait for you at help@shop.example.
`;
}

interface Report {
  from: string;
  subject: string;
  text: string;
  /** The block of fields of the report. */
  mta?: string;
  /** The blocks of fields of recipients. */
  recipients: string;
  to: string;
  headers?: Record<string, string>;
  returned?: string;
}

/** A report of RFC 3464. */
export function report({ from, subject, text, mta, recipients, to, headers: more, returned }: Report): string {
  const boundary = 'B0undary.1762164672/out.sender.example';
  return `${headers({
    From: from,
    Subject: subject,
    'Message-ID': `<dsn.${Buffer.from(to + text)
      .toString('base64url')
      .slice(-24)}@out.sender.example>`,
    'MIME-Version': '1.0',
    'Content-Type': `multipart/report; report-type=delivery-status;\n\tboundary="${boundary}"`,
    ...more,
  })}This is a MIME-encapsulated message.

--${boundary}
Content-Type: text/plain; charset=us-ascii

${text}
--${boundary}
Content-Type: message/delivery-status

${mta ?? 'Reporting-MTA: dns; out.sender.example\nArrival-Date: Tue, 3 Nov 2026 10:11:10 +0000'}

${recipients}
--${boundary}
Content-Type: ${returned === undefined ? 'text/rfc822-headers' : 'message/rfc822'}

${returned ?? originalMessage(to).split('\n\n')[0]}

--${boundary}--
`;
}

function plain(fields: Record<string, string>, text: string): string {
  return `${headers({ 'MIME-Version': '1.0', 'Content-Type': 'text/plain; charset=utf-8', ...fields })}${text}`;
}

const classOf = (status: string): string => `${status[0]}.0.0`;

/** Wraps a reply the way Postfix and others break lines. */
function wrapped(text: string, indent = '    '): string {
  return text.replace(/(.{50,70}?) /g, `$1\n${indent}`);
}

/** The servers and the text that they write: from their sources and documentation. */
export const shapes: Record<string, Shape> = {
  // bounce/bounce_notify_util.c
  postfix: ({ to, reply, status }) =>
    report({
      from: 'MAILER-DAEMON@out.sender.example (Mail Delivery System)',
      subject: 'Undelivered Mail Returned to Sender',
      to,
      text: `This is the mail system at host out.sender.example.

I'm sorry to have to inform you that your message could not
be delivered to one or more recipients. It's attached below.

For further assistance, please send mail to postmaster.

                   The mail system

<${to}>: ${wrapped(`host ${host}[${ip}] said: ${reply} (in reply to RCPT TO command)`)}
`,
      mta: `Reporting-MTA: dns; out.sender.example
X-Postfix-Queue-ID: 4F00ABCDEF
X-Postfix-Sender: rfc822; ${sender}
Arrival-Date: Tue,  3 Nov 2026 10:11:10 +0000 (UTC)`,
      recipients: `Final-Recipient: rfc822; ${to}
Original-Recipient: rfc822;${to}
Action: failed
Status: ${status}
Remote-MTA: dns; ${host}
Diagnostic-Code: smtp; ${wrapped(reply)}
`,
    }),
  postfixTextOnly: ({ to, reply }) =>
    plain(
      {
        From: 'Mail Delivery System <MAILER-DAEMON@out.sender.example>',
        Subject: 'Undelivered Mail Returned to Sender',
      },
      `This is the mail system at host out.sender.example.

I'm sorry to have to inform you that your message could not
be delivered to one or more recipients. It's attached below.

For further assistance, please send mail to <postmaster@out.sender.example>

<${to}>: ${wrapped(`host ${host}[${ip}] said: ${reply} (in reply to RCPT TO command)`)}
`,
    ),
  // sendmail/savemail.c
  sendmail: ({ to, reply, status }) =>
    report({
      from: 'Mail Delivery Subsystem <MAILER-DAEMON@out.sender.example>',
      subject: 'Returned mail: see transcript for details',
      to,
      headers: { 'Auto-Submitted': 'auto-generated (failure)' },
      text: `The original message was received at ${date}
from app.sender.example [198.51.100.7]

   ----- The following addresses had permanent fatal errors -----
<${to}>
    (reason: ${reply})

   ----- Transcript of session follows -----
... while talking to ${host}.:
>>> RCPT To:<${to}>
<<< ${reply}
${reply.slice(0, 3)} ${status} <${to}>... Delivery refused
`,
      recipients: `Final-Recipient: RFC822; ${to}
Action: failed
Status: ${status}
Remote-MTA: DNS; ${host}
Diagnostic-Code: SMTP; ${reply}
Last-Attempt-Date: ${date}
`,
    }),
  sendmailTextOnly: ({ to, reply }) =>
    plain(
      {
        From: 'Mail Delivery Subsystem <MAILER-DAEMON@out.sender.example>',
        Subject: 'Returned mail: User unknown or refused',
      },
      `   ----- The following addresses had permanent fatal errors -----
<${to}>

   ----- Transcript of session follows -----
... while talking to ${host}:
>>> RCPT To:<${to}>
<<< ${reply}

   ----- Original message follows -----
${originalMessage(to)}`,
    ),
  // src/deliver.c and src/moan.c before 4.91
  exim: ({ to, reply }) =>
    plain(
      {
        From: 'Mail Delivery System <Mailer-Daemon@out.sender.example>',
        Subject: 'Mail delivery failed: returning message to sender',
        'X-Failed-Recipients': to,
        'Auto-Submitted': 'auto-replied',
        'Message-Id': '<E1XyzAb-0001Cd-Ef@out.sender.example>',
      },
      `This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  ${to}
    SMTP error from remote mail server after RCPT TO:<${to}>:
    host ${host} [${ip}]: ${reply}

------ This is a copy of the message, including all the headers. ------

${originalMessage(to)}`,
    ),
  eximWithReport: ({ to, reply, status }) =>
    report({
      from: 'Mail Delivery System <Mailer-Daemon@out.sender.example>',
      subject: 'Mail delivery failed: returning message to sender',
      to,
      headers: { 'X-Failed-Recipients': to, 'Auto-Submitted': 'auto-replied' },
      text: `This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  ${to}
    host ${host} [${ip}]
    SMTP error from remote mail server after RCPT TO:<${to}>:
    ${reply}
`,
      mta: 'Reporting-MTA: dns; out.sender.example',
      recipients: `Action: failed
Final-Recipient: rfc822;${to}
Status: ${classOf(status)}
Remote-MTA: dns; ${host}
Diagnostic-Code: smtp; ${reply}
`,
      returned: originalMessage(to),
    }),
  // qmail-send.c and qmail-remote.c
  qmail: ({ to, reply }) =>
    headers({ From: 'MAILER-DAEMON@out.sender.example', Subject: 'failure notice' }) +
    `Hi. This is the qmail-send program at out.sender.example.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<${to}>:
${ip} does not like recipient.
Remote host said: ${reply}
Giving up on ${ip}.

--- Below this line is a copy of the message.

${originalMessage(to)}`,
  qmailAfterData: ({ to, reply }) =>
    headers({ From: 'MAILER-DAEMON@out.sender.example', Subject: 'failure notice' }) +
    `Hi. This is the qmail-send program at out.sender.example.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<${to}>:
${ip}_failed_after_I_sent_the_message./Remote_host_said:_${reply.slice(0, 3)}/
Remote host said: ${reply}

--- Below this line is a copy of the message.

${originalMessage(to)}`,
  // Exchange 2010 to 2019, and Exchange Online
  exchange: ({ to, reply, status }) =>
    report({
      from: 'Microsoft Outlook <MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@sender.example>',
      subject: 'Undeliverable: Our autumn offers',
      to,
      headers: { 'X-MS-Exchange-Message-Is-Ndr': '', 'In-Reply-To': '<20261103.1@sender.example>' },
      text: `Delivery has failed to these recipients or groups:

${to}<mailto:${to}>
Your message couldn't be delivered. Contact the recipient by some other means (by phone,
for example) and ask them to tell their email admin about the problem below.

The following organization rejected your message: ${host}.

Diagnostic information for administrators:

Generating server: EX01.sender.example

${to}
${host}
Remote Server returned '${reply}'

Original message headers:

Received: from EX01.sender.example (2001:db8::1) by EX01.sender.example
`,
      mta: 'Reporting-MTA: dns;EX01.sender.example\nReceived-From-MTA: dns;app.sender.example',
      recipients: `Final-Recipient: rfc822;${to}
Action: failed
Status: ${status}
Diagnostic-Code: smtp;${reply}
X-Display-Name: ${to}
`,
    }),
  exchange2003: ({ to, reply, status }) =>
    headers({
      From: 'System Administrator <postmaster@sender.example>',
      Subject: 'Undeliverable: Our autumn offers',
      'MIME-Version': '1.0',
      'X-MS-Embedded-Report': '',
      'Content-Type': 'multipart/mixed; boundary="----_=_NextPart_000_01C"',
    }) +
    `------_=_NextPart_000_01C
Content-Type: text/plain; charset="iso-8859-1"

Your message did not reach some or all of the intended recipients.

      Subject:\tOur autumn offers
      Sent:\t11/3/2026 10:11 AM

The following recipient(s) cannot be reached:

      ${to} on 11/3/2026 10:11 AM
            There was a SMTP communication problem with the recipient's email server.  Please contact your system administrator.
            <out.sender.example #${status} smtp;${reply}>

------_=_NextPart_000_01C
Content-Type: message/rfc822

${originalMessage(to)}
------_=_NextPart_000_01C--
`,
  gmail: ({ to, reply, status }) =>
    report({
      from: 'Mail Delivery Subsystem <mailer-daemon@googlemail.com>',
      subject: 'Delivery Status Notification (Failure)',
      to,
      headers: {
        'Auto-Submitted': 'auto-replied',
        'X-Failed-Recipients': to,
        'In-Reply-To': '<20261103.1@sender.example>',
      },
      text: `
** Message not delivered **

Your message couldn't be delivered to ${to} because the remote server is misconfigured. See technical details below for more information.

The response from the remote server was:
${reply}
`,
      mta: 'Reporting-MTA: dns; googlemail.com\nReceived-From-MTA: dns; news@sender.example\nArrival-Date: Tue, 03 Nov 2026 02:11:10 -0800 (PST)\nX-Original-Message-ID: <20261103.1@sender.example>',
      recipients: `Final-Recipient: rfc822; ${to}
Action: failed
Status: ${status}
Remote-MTA: dns; ${host}. (${ip}, the server for the domain
 rcpt.example.)
Diagnostic-Code: smtp; ${reply}
Last-Attempt-Date: Tue, 03 Nov 2026 02:11:12 -0800 (PST)
`,
    }),
  gmailTextOnly: ({ to, reply }) =>
    plain(
      {
        From: 'Mail Delivery Subsystem <mailer-daemon@googlemail.com>',
        Subject: 'Delivery Status Notification (Failure)',
        'X-Failed-Recipients': to,
      },
      `Delivery to the following recipient failed permanently:

     ${to}

Technical details of permanent failure:
Google tried to deliver your message, but it was rejected by the server for the recipient domain rcpt.example by ${host}. [${ip}].

The error that the other server returned was:
${reply}

----- Original message -----

${originalMessage(to)}`,
    ),
  yahoo: ({ to, reply }) =>
    plain(
      { From: 'MAILER-DAEMON@yahoo.com', Subject: 'Failure Notice' },
      `Sorry, we were unable to deliver your message to the following address.

<${to}>:
Remote host said: ${reply} [RCPT_TO]

--- Below this line is a copy of the message.

${originalMessage(to)}`,
    ),
  // smtpd/bounce.c
  opensmtpd: ({ to, reply, status }) =>
    report({
      from: 'Mailer Daemon <MAILER-DAEMON@out.sender.example>',
      subject: 'Delivery status notification: error',
      to,
      text: `    Hi!

    This is the MAILER-DAEMON, please DO NOT REPLY to this email.

    An error has occurred while attempting to deliver a message for
    the following list of recipients:

${to}: ${reply}

    Below is a copy of the original message:
`,
      mta: 'Reporting-MTA: dns; out.sender.example',
      recipients: `Final-Recipient: rfc822; ${to}
Action: failed
Status: ${status}
`,
      returned: originalMessage(to),
    }),
  opensmtpdTextOnly: ({ to, reply }) =>
    plain(
      { From: 'Mailer Daemon <MAILER-DAEMON@out.sender.example>', Subject: 'Delivery status notification' },
      `    Hi!

    This is the MAILER-DAEMON, please DO NOT REPLY to this e-mail.

    An error has occurred while attempting to deliver a message.

${to}: ${reply}

    Below is a copy of the original message:

${originalMessage(to)}`,
    ),
  // courier/module.dsn
  courier: ({ to, reply, status }) =>
    report({
      from: '"Courier mail server at out.sender.example" <@out.sender.example>',
      subject: 'NOTICE: mail delivery status.',
      to,
      text: `This is a delivery status notification from out.sender.example,
running the Courier mail server, version 0.75.

The original message was received on ${date}
from app.sender.example ([198.51.100.7])

---------------------------------------------------------------------------

                           UNDELIVERABLE MAIL

Your message to the following recipients cannot be delivered:

<${to}>:
    ${host} [${ip}]:
>>> RCPT TO:<${to}>
<<< ${reply}

---------------------------------------------------------------------------
`,
      mta: 'Reporting-MTA: dns; out.sender.example\nArrival-Date: Tue, 03 Nov 2026 10:11:10 +0000',
      recipients: `Final-Recipient: rfc822; ${to}
Action: failed
Status: ${classOf(status)}
Remote-MTA: dns; ${host} [${ip}]
Diagnostic-Code: smtp; ${reply}
`,
    }),
  domino: ({ to, reply, status }) =>
    report({
      from: 'Postmaster@notes.sender.example',
      subject: `DELIVERY FAILURE: ${reply.slice(0, 60)}`,
      to,
      text: `Your message

  Subject: Our autumn offers

was not delivered to:

  ${to}

because:

  Error transferring to ${host}; SMTP Protocol Returned a Permanent Error ${reply}
`,
      mta: 'Reporting-MTA: dns;notes.sender.example',
      recipients: `Final-Recipient: rfc822;${to}
Action: failed
Status: ${classOf(status)}
Remote-MTA: dns;${host}
Diagnostic-Code: X-Notes; Error transferring to ${host}; SMTP
 Protocol Returned a Permanent Error ${reply}
`,
    }),
  // server/mailets DSNBounce and Bounce
  james: ({ to, reply }) =>
    plain(
      { From: 'postmaster@out.sender.example', Subject: 'Re: Our autumn offers' },
      `Hi. This is the James mail server at out.sender.example.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out. Below
I include the list of recipients and the reason why I was unable to deliver
your message.

Failed recipient(s):
${to}

Error message:
${reply}

Message details:
  Subject: Our autumn offers
  Sent date: ${date}
  MAIL FROM: ${sender}
  RCPT TO: ${to}
  From: News <${sender}>
  To: ${to}
  Size (in bytes): 412
`,
    ),
  amazonSes: ({ to, reply, status }) =>
    report({
      from: 'MAILER-DAEMON@eu-west-1.amazonses.com',
      subject: 'Delivery Status Notification (Failure)',
      to,
      text: `An error occurred while trying to deliver the mail to the following recipients:\n${to}\n`,
      mta: 'Reporting-MTA: dns; a7-12.smtp-out.eu-west-1.amazonses.com',
      recipients: `Action: failed
Final-Recipient: rfc822; ${to}
Diagnostic-Code: smtp; ${reply}
Status: ${status}
`,
    }),
  zoho: ({ to, reply }) =>
    plain(
      { From: 'mailer-daemon@mail.zoho.com', Subject: 'Undelivered Mail Returned to Sender' },
      `This message was created automatically by mail delivery software.
A message that you sent could not be delivered to one or more of its recipients. This is a permanent error.

${to}, ERROR CODE :${reply.slice(0, 3)} - ${reply.slice(4)}


Received:from mail.zoho.com by mx.zohomail.com
\twith SMTP id 1418381365566172.67; Tue, 3 Nov 2026 02:49:25 -0800 (PST)
Message-ID:<20261103.1@sender.example>
From:News <${sender}>
To:<${to}>
`,
    ),
  gmx: ({ to, reply }) =>
    plain(
      {
        From: 'GMX Mailer Daemon <mailer-daemon@gmx.net>',
        Subject: 'Mail delivery failed: returning message to sender',
      },
      `This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of
its recipients. This is a permanent error. The following address
failed:

"${to}":
SMTP error from remote server after RCPT command:
host: ${host}
${reply}

--- The header of the original message is following. ---

${originalMessage(to).split('\n\n')[0]}
`,
    ),
  sunMessagingServer: ({ to, reply, status }) =>
    report({
      from: 'Internet Mail Delivery <postmaster@mail.sender.example>',
      subject: 'Delivery Notification: Delivery has failed',
      to,
      text: `This report relates to a message you sent with the following header fields:

  Message-id: <20261103.1@sender.example>
  Date: ${date}
  From: News <${sender}>
  To: ${to}
  Subject: Our autumn offers

Your message cannot be delivered to the following recipients:

  Recipient address: ${to}
  Reason: Remote SMTP server has rejected address
  Diagnostic code: smtp;${reply}
  Remote system: dns;${host} (TCP|198.51.100.7|47325|${ip}|25) (${host} ESMTP)
`,
      mta: 'Reporting-MTA: dns;mail.sender.example (tcp-daemon)',
      recipients: `Original-recipient: rfc822;${to}
Final-recipient: rfc822;${to}
Action: failed
Status: ${status} (Remote SMTP server has rejected address)
Remote-MTA: dns;${host} (TCP|198.51.100.7|47325|${ip}|25) (${host} ESMTP)
Diagnostic-code: smtp;${reply}
`,
    }),
  mdaemon: ({ to, reply }) =>
    plain(
      { From: '"MDaemon at out.sender.example" <MDaemon@out.sender.example>', Subject: 'Permanent Delivery Failure' },
      `The attached message had PERMANENT fatal delivery errors!

After one or more unsuccessful delivery attempts the attached message has
been removed from the mail queue on this server.

Failed address: ${to}

--- Session Transcript ---
 Attempting SMTP connection to [${ip}:25]
 --> RCPT To:<${to}>
 <-- ${reply}
 --> QUIT
--- End Transcript ---
: Message contains [1] file attachments
`,
    ),
  haraka: ({ to, reply }) =>
    plain(
      { From: 'MAILER-DAEMON@out.sender.example', Subject: 'failed mail delivery' },
      `Hi. This is the Haraka Mailer program at out.sender.example.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

Intended Recipients: <${to}>
Failure Reason: ${reply}

--- Below this line is a copy of the message.

${originalMessage(to)}`,
    ),
};
