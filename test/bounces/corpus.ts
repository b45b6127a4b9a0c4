import type { BounceKind } from '../../src/model/bounce.js';
import { originalMessage, readSections, report, shapes } from './shapes.js';

/** A message and its label, which was assigned by hand before the program read it. */
export interface LabeledMessage {
  name: string;
  raw: string;
  /** The kind of a message that is not a bounce. */
  is?: 'delay' | 'automatic' | 'other';
  /** The failed recipients. */
  want: Record<string, BounceKind>;
}

/** Replies as mail servers send them. TO is the recipient. */
const replies = readSections('replies').map(([name, reply]) => {
  const [kind, status] = name.split(' ') as [BounceKind, string];
  return { kind, status, reply };
});

const byShape: LabeledMessage[] = Object.entries(shapes).flatMap(([name, shape], at) =>
  replies.map(({ kind, status, reply }, number): LabeledMessage => {
    const to = `reader${at}.${number}@rcpt${number}.example`;
    return {
      name: `${name}: ${reply.slice(0, 40)}`,
      raw: shape({ to, status, reply: reply.replaceAll('TO', to) }),
      want: { [to]: kind },
    };
  }),
);

function text(mail: string): string {
  const [fields, ...body] = mail.split('\n\n');
  const common = 'To: news@sender.example\nDate: Tue, 3 Nov 2026 10:11:12 +0000\nMIME-Version: 1.0';
  return `${fields}\n${common}\nContent-Type: text/plain; charset=utf-8\n\n${body.join('\n\n')}`;
}

const qmail = (lines: string): string =>
  text(`Return-Path: <>
From: MAILER-DAEMON@out.sender.example
Subject: failure notice

Hi. This is the qmail-send program at out.sender.example.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

${lines}

--- Below this line is a copy of the message.

${originalMessage('x@rcpt.example')}`);

const exim = (reason: string, to: string): string =>
  text(`Return-Path: <>
From: Mail Delivery System <Mailer-Daemon@out.sender.example>
Subject: Mail delivery failed: returning message to sender
X-Failed-Recipients: ${to}
Auto-Submitted: auto-replied

This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  ${to}
    ${reason}

------ This is a copy of the message, including all the headers. ------

${originalMessage(to)}`);

function delivery(body: string): string {
  const [recipients = '', words = 'Your message could not be delivered.\n'] = body.split('--- recipients\n').reverse();
  const from = 'MAILER-DAEMON@out.sender.example';
  return report({ from, subject: 'Undelivered Mail', to: 'a@rcpt.example', text: words, recipients });
}

/** What a section of messages.txt is in full. */
const kinds: Record<string, (body: string, to: string) => string> = {
  ...{ text, qmail, exim, report: delivery },
  raw: (body) => body,
};

/** A section: its labels, then its kind with recipients or line ends, then what differs from others of its kind. */
function readMessage([name, section]: [name: string, section: string]): LabeledMessage {
  const [labels = '', head = '', ...lines] = section.split('\n');
  const [kind = '', ...rest] = head.split(' ');
  const body = lines
    .join('\n')
    .replace(/\{message (.+)\}\n/g, (_, to: string) => originalMessage(to))
    .replace(/\{head (.+)\}/g, (_, to: string) => originalMessage(to).split('\n\n')[0] ?? '');
  const raw = kinds[kind]?.(body, rest.join(' ')) ?? '';
  const ends = { CR: '\r', CRLF: '\r\n' }[rest.join(' ')] ?? '\n';
  const [first = '', ...others] = labels.split(', ');
  const is = first === 'delay' || first === 'automatic' || first === 'other' ? first : null;
  const want = (is === null ? [first, ...others] : others).map((label) => {
    const [as, address = ''] = label.split(' ');
    return [address, as] as [string, BounceKind];
  });
  return { name, raw: raw.replaceAll('\n', ends), ...(is && { is }), want: Object.fromEntries(want) };
}

export const corpus: readonly LabeledMessage[] = [...byShape, ...readSections('messages').map(readMessage)];
