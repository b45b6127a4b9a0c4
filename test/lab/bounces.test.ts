import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OutcomeStats } from '../../src/report/outcome-stats.js';
import { relays, startRelays } from './bouncing-servers.js';
import { startNextHop } from './next-hop.js';
import { ensurePackages } from './packages.js';
import { sendMessage } from './send-message.js';

const bin = resolve(import.meta.dirname, '../../bin/mailvet.js');
const dir = mkdtempSync(join(tmpdir(), 'mailvet-bounces-'));
const maildir = join(dir, 'Maildir');
const nextHop = '127.0.16.1';
const sender = 'news@back.vetlab.com';
const stops: (() => Promise<void>)[] = [];

/** The reply to RCPT for each mailbox, and the kind of its bounce, labeled before the reader saw a report. */
const mailboxes = {
  fine: { reply: '250 2.1.5 Ok', kind: null },
  gone: { reply: '550 5.1.1 <gone@target.vetlab.com>: Recipient address rejected: User unknown', kind: 'hard' },
  plain: { reply: '550 No such user here', kind: 'hard' },
  disabled: { reply: '550 5.2.1 The email account that you tried to reach is disabled.', kind: 'hard' },
  full: { reply: '552 5.2.2 Mailbox full', kind: 'soft' },
  blocked: {
    reply: '554 5.7.1 Service unavailable; Client host [203.0.113.5] blocked using zen.spamhaus.org',
    kind: 'policy',
  },
  spam: { reply: '550 5.7.1 Message rejected as spam by Content Filtering.', kind: 'policy' },
  lines: {
    reply:
      '550-5.1.1 The email account that you tried to reach does not exist. Please try\r\n550 5.1.1 double-checking it.',
    kind: 'hard',
  },
  left: { reply: '550 5.1.1 This person has left the company', kind: 'hard' },
  relay: { reply: '550 5.7.1 Relaying denied', kind: 'policy' },
  dmarc: { reply: "550 5.7.26 Unauthenticated email is not accepted due to the domain's DMARC policy", kind: 'policy' },
  denied: { reply: '550 5.4.1 Recipient address rejected: Access denied.', kind: 'policy' },
  vague: { reply: '550 Requested action not taken: mailbox unavailable', kind: 'policy' },
} as const;
const failing = Object.entries(mailboxes).flatMap(([name, { kind }]) => (kind === null ? [] : [{ name, kind }]));

beforeAll(async () => {
  ensurePackages();
  for (const folder of ['new', 'cur', 'tmp']) mkdirSync(join(maildir, folder), { recursive: true });
  const replies = new Map(Object.entries(mailboxes).map(([name, { reply }]) => [name, reply]));
  const hop = await startNextHop(nextHop, {
    replyTo: (recipient) => replies.get(recipient.split(/[.@]/)[0] ?? '') ?? '250 2.1.5 Ok',
    onMessage: (recipients, text) => {
      if (recipients.includes(sender)) writeFileSync(join(maildir, 'new', `${Date.now()}.${Math.random()}`), text);
    },
  });
  stops.push(hop.stop);
  const servers = await startRelays(dir, nextHop);
  stops.unshift(servers.stop);
  for (const [name, ip] of Object.entries(relays)) await mailAll(name, ip);
}, 240_000);

afterAll(async () => {
  for (const stop of stops) await stop();
  rmSync(dir, { recursive: true, force: true });
});

/** Each server has its own spelling of the mailboxes, so that a bounce names it: `gone.postfix@target.vetlab.com`. */
const addressOf = (name: string, server: string): string => `${name}.${server}@target.vetlab.com`;

/** Sends one message for all mailboxes to a server. */
const mailAll = (server: string, ip: string): Promise<void> => {
  const recipients = Object.keys(mailboxes).map((name) => addressOf(name, server));
  return sendMessage(ip, { sender, recipients, id: `1.${server}@back.vetlab.com` });
};

interface Row {
  address: string;
  kind: string;
  message_id: string;
}

async function mailvet(...args: string[]): Promise<string> {
  const env = { ...process.env, MAILVET_DATA_DIR: join(dir, 'data') };
  return (await promisify(execFile)(process.execPath, [bin, ...args], { env })).stdout;
}

async function readRows(): Promise<Row[]> {
  const rows = await mailvet('bounces', maildir, '--format', 'ndjson');
  return rows.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Row]));
}

test('reports of real servers name each failed recipient with the kind that its reply means', async () => {
  const expected = Object.keys(relays).flatMap((server) =>
    failing.map(({ name, kind }) => `${addressOf(name, server)} ${kind}`),
  );
  let rows: Row[] = [];
  for (let attempt = 0; attempt < 60 && rows.length < expected.length; attempt++) {
    await new Promise((wake) => setTimeout(wake, 500));
    if (readdirSync(join(maildir, 'new')).length > 0) rows = await readRows();
  }
  expect(rows.map(({ address, kind }) => `${address} ${kind}`).sort()).toEqual(expected.sort());
  expect(new Set(rows.map(({ message_id }) => message_id))).toEqual(
    new Set(Object.keys(relays).map((server) => `1.${server}@back.vetlab.com`)),
  );
}, 120_000);

test('a list is vetted, mailed, compared with its bounces, and suppressed', async () => {
  const servers = Object.keys(relays);
  const addresses = servers.flatMap((server) => Object.keys(mailboxes).map((name) => addressOf(name, server)));
  const [list, vetted, stop] = ['sent.csv', 'vetted.csv', 'stop.csv'].map((name) => join(dir, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(list, `email\n${addresses.join('\n')}\n`);
  await mailvet('bulk', list, '--level', 'syntax', '-o', vetted);
  const flags = ['--sent', list, '--against', vetted, '--suppress', stop];
  const { outcomes } = JSON.parse(await mailvet('bounces', maildir, '--json', ...flags)) as { outcomes: OutcomeStats };
  const hard = failing.filter(({ kind }) => kind === 'hard').length * servers.length;
  expect(outcomes).toMatchObject({ mailed: addresses.length, not_vetted: 0, not_sent: 0 });
  expect(outcomes.false_valid).toMatchObject({ count: hard, of: addresses.length });
  const listed = readFileSync(stop, 'utf8').trim().split('\n').slice(1);
  expect(listed).toHaveLength(hard);
  expect(listed.every((line) => line.includes(',hard,'))).toBe(true);
}, 60_000);
