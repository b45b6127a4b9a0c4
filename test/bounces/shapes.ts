import { readFileSync } from 'node:fs';

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

/** The sections of a fixture, each under `=== NAME`. */
export function readSections(name: string): [name: string, text: string][] {
  const text = readFileSync(new URL(`../fixtures/bounces/${name}.txt`, import.meta.url), 'utf8');
  const sections = `\n${text}`.slice(0, -1).split('\n=== ').slice(1);
  return sections.map((section) => [section.split('\n', 1)[0] ?? '', section.slice(section.indexOf('\n') + 1)]);
}

/** The message that was sent. */
export function originalMessage(to: string): string {
  return `Return-Path: <news@sender.example>
Received: from app.sender.example ([198.51.100.7]) by out.sender.example; Tue, 3 Nov 2026 10:11:10 +0000
From: News <news@sender.example>
To: ${to}
Subject: Our autumn offers
Message-ID: <20261103.1@sender.example>
Date: Tue, 3 Nov 2026 10:11:10 +0000

Dear reader, 550 new offers wait for you at help@shop.example.
`;
}

const headOf = (message: string): string => message.split('\n\n')[0] ?? '';
const dsnId = (text: string): string => Buffer.from(text).toString('base64url').slice(-24);

/** Wraps a reply the way Postfix and others break lines. */
const wrapped = (text: string): string => text.replace(/(.{50,70}?) /g, '$1\n    ');

function fill(template: string, { to, reply, status }: Fill): string {
  const values: Record<string, string> = {
    ...{ to, reply, status, class: `${status[0]}.0.0`, id: dsnId(reply + to) },
    ...{ code: reply.slice(0, 3), words: reply.slice(4), start: reply.slice(0, 60) },
    ...{ message: originalMessage(to).slice(0, -1), 'head of the message': headOf(originalMessage(to)) },
  };
  return template
    .replace(/\{(?!wrapped)([a-z ]+)\}/g, (_, name: string) => values[name] ?? '')
    .replace(/\{wrapped (.*)\}/g, (_, text: string) => wrapped(text));
}

/** The servers and the text that they write: from their sources and documentation. */
export const shapes: Record<string, Shape> = Object.fromEntries(
  readSections('shapes').map(([name, template]) => [name, (values: Fill) => fill(template, values)]),
);

interface Report {
  from: string;
  subject: string;
  text: string;
  /** The blocks of fields of recipients. */
  recipients: string;
  to: string;
  returned?: string;
}

/** A report of RFC 3464. */
export function report({ from, subject, text, recipients, to, returned }: Report): string {
  const boundary = 'B0undary.1762164672/out.sender.example';
  return `Return-Path: <>
To: news@sender.example
Date: Tue, 3 Nov 2026 10:11:12 +0000
From: ${from}
Subject: ${subject}
Message-ID: <dsn.${dsnId(to + text)}@out.sender.example>
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;\n\tboundary="${boundary}"

This is a MIME-encapsulated message.

--${boundary}
Content-Type: text/plain; charset=us-ascii

${text}
--${boundary}
Content-Type: message/delivery-status

Reporting-MTA: dns; out.sender.example\nArrival-Date: Tue, 3 Nov 2026 10:11:10 +0000

${recipients}
--${boundary}
Content-Type: ${returned === undefined ? 'text/rfc822-headers' : 'message/rfc822'}

${returned ?? headOf(originalMessage(to))}

--${boundary}--
`;
}
