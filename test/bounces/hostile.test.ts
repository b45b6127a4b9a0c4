import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readInputs } from '../../src/service/bounces/read-inputs.js';
import { readMessage } from '../../src/service/bounces/read-message.js';
import { splitMessages } from '../../src/service/bounces/split-messages.js';
import { report, shapes } from './shapes.js';

const read = (text: string | Buffer) => readMessage(Buffer.from(text as string));
const failed = (to: string): string =>
  `Final-Recipient: rfc822; ${to}\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 User unknown\n`;
const dsn = (to: string, returned?: string): string =>
  report({
    from: 'MAILER-DAEMON@x.example',
    subject: 'Undelivered',
    text: '',
    to,
    recipients: failed(to),
    ...(returned && { returned }),
  });

async function addresses(text: string | Buffer): Promise<string[]> {
  const reading = await read(text);
  return reading.type === 'bounce' ? reading.bounces.map(({ address, kind }) => `${address} ${kind}`) : [reading.type];
}

test('of reports nested twenty deep, only the outermost counts', async () => {
  let nested = dsn('inner@x.example');
  for (let depth = 0; depth < 20; depth++)
    nested = dsn(`r${depth}@x.example`, nested.replaceAll('B0undary', `D${depth}`));
  expect(await addresses(nested)).toEqual(['r19@x.example hard']);
});

test('a report about a report names the recipient of the outer one', async () => {
  const inner = dsn('victim@x.example').replaceAll('B0undary', 'Inner');
  expect(await addresses(dsn('bounces@sender.example', inner))).toEqual(['bounces@sender.example hard']);
});

test.each([
  { name: 'no address', recipient: 'rfc822; nobody' },
  { name: 'a header', recipient: 'rfc822; a@x.example\r\n\tBcc: b@x.example' },
  { name: 'control characters', recipient: 'rfc822; a\u0007@x.example' },
  { name: 'a script', recipient: 'rfc822; <script>@x.example' },
])('a forged recipient with $name is unreadable', async ({ recipient }) => {
  const raw = dsn('a@x.example').replace('rfc822; a@x.example', recipient);
  expect(await addresses(raw)).toEqual([' unreadable']);
});

test.each([
  { recipient: 'rfc822; "john doe"@x.example', address: '"john doe"@x.example' },
  { recipient: 'rfc822; <a@x.example>', address: 'a@x.example' },
  { recipient: 'rfc822; "<a@x.example>"', address: 'a@x.example' },
  { recipient: 'rfc822; "a@x.example"', address: 'a@x.example' },
])('the recipient $recipient is $address', async ({ recipient, address }) => {
  const raw = dsn('a@x.example').replace('rfc822; a@x.example', recipient);
  expect(await addresses(raw)).toEqual([`${address} hard`]);
});

test('NULs, UTF-7, a truncated message and random bytes do not throw', async () => {
  const message = shapes['postfix']?.({ to: 'a@x.example', status: '5.1.1', reply: '550 5.1.1 User unknown' }) ?? '';
  expect(await addresses(message.replaceAll('could not', 'could\0not'))).toEqual(['a@x.example hard']);
  await read(message.replace('us-ascii', 'utf-7'));
  for (let length = 0; length < message.length; length += 97) await read(message.slice(0, length));
  for (let seed = 1; seed < 40; seed++) {
    const bytes = Buffer.from(message);
    for (let index = seed; index < bytes.length; index += seed * 7) bytes[index] = (index * seed) & 0xff;
    await read(bytes);
  }
});

test('only the beginning of a 100 MB message is read', async () => {
  const head = Buffer.from(`${dsn('a@x.example')}\n`);
  const block = Buffer.alloc(1024 * 1024, `${'x'.repeat(75)}\n`);
  async function* pieces(): AsyncGenerator<Buffer> {
    yield head;
    for (let count = 0; count < 100; count++) yield block;
  }
  const found: number[] = [];
  for await (const { bytes } of splitMessages(pieces())) {
    found.push(bytes.length);
    expect(await addresses(bytes)).toEqual(['a@x.example hard']);
  }
  expect(found.length).toBe(1);
  expect(found[0]).toBeLessThan(1.2 * 1024 * 1024);
});

test('a long message has the same bytes however its input is cut', async () => {
  const message = Buffer.from(dsn('a@x.example', `Subject: hi\n\n${'line of the returned message\n'.repeat(20_000)}`));
  const bytesOf = async (...cuts: number[]): Promise<Buffer> => {
    async function* pieces() {
      for (const [index, end] of [...cuts, message.length].entries()) yield message.subarray(cuts[index - 1] ?? 0, end);
    }
    const found: Buffer[] = [];
    for await (const { bytes } of splitMessages(pieces())) found.push(Buffer.from(bytes));
    return Buffer.concat(found);
  };
  const whole = await bytesOf();
  expect((await bytesOf(1_000)).equals(whole)).toBe(true);
  expect((await bytesOf(70_000, 262_150)).equals(whole)).toBe(true);
});

const prose = (text: string): string =>
  `From: MAILER-DAEMON@x.example\nTo: me@y.example\nSubject: failure notice\n\n${text}`;

test.each([
  ['line feeds', `${'\n'.repeat(20_000)}x`],
  ['blanks after a cue', `not delivered to${' '.repeat(20_000)}! x@`],
  ['tags that do not end', `<html>${'<p '.repeat(20_000)}`],
  ['thousands of recipients', Array.from({ length: 2_000 }, (_, n) => `<u${n}@z.example>: failed`).join('\n')],
])('many %s take linear time', async (_name, text) => {
  const startedAt = process.cpuUsage();
  await read(prose(text));
  await read(prose(text).replace('\nTo:', `\nX-Failed-Recipients: ${'a@b.example,'.repeat(3_000)}\nTo:`));
  // A quadratic search takes minutes.
  expect(process.cpuUsage(startedAt).user / 1e6).toBeLessThan(20);
});

async function readFiles(files: Record<string, string>): Promise<{ rows: string[]; skipped: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'mailvet-bounces-'));
  const skipped: string[] = [];
  const rows: string[] = [];
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const options = { signal: new AbortController().signal, onSkipped: (text: string) => skipped.push(text) };
    for await (const { readings } of readInputs([folder], options))
      for (const item of readings)
        if (item.type === 'bounce')
          for (const { address, reply, kind } of item.bounces) rows.push(`${address} ${kind} ${reply}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
  return { rows, skipped };
}

test('a CSV that is longer than several reads keeps every row', async () => {
  const lines = Array.from({ length: 4_000 }, (_, n) => `u${n}@x.example,550 5.1.1 User unknown u${n}`);
  const { rows } = await readFiles({ 'export.csv': `email,reply\n${lines.join('\n')}\n` });
  expect(rows).toEqual(lines.map((_, n) => `u${n}@x.example hard 550 5.1.1 User unknown u${n}`));
});

test('a failure without an address is reported as unreadable', async () => {
  const { rows } = await readFiles({ 'export.csv': 'email,reply\na@x.example,550 5.1.1 no\n,550 5.1.1 no\n,250 ok\n' });
  expect(rows).toEqual(['a@x.example hard 550 5.1.1 no', expect.stringMatching(/^ unreadable/)]);
});

test('a column of replies is preferred to one of messages', async () => {
  const { rows } = await readFiles({
    'export.csv': 'email,message,diagnostic_code\na@x.example,Our spring offer,550 5.1.1 User unknown\n',
  });
  expect(rows).toEqual(['a@x.example hard 550 5.1.1 User unknown']);
});

test('events of another service are reported, and all events without an id count', async () => {
  const { rows, skipped } = await readFiles({
    'other.json': '[{"event":"bounce","email":"a@x.example"}]',
    'postmark.json':
      '[{"RecordType":"Bounce","Type":"constructor","Email":"a@x.example","Details":"550 5.1.1 User unknown"}]',
  });
  expect(skipped).toEqual([expect.stringContaining('no bounce or delivery of Amazon SES or Postmark')]);
  expect(rows).toEqual(['a@x.example hard 550 5.1.1 User unknown']);
});
