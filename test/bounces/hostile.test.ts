import { expect, test } from 'vitest';
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
  return reading.is === 'bounce' ? reading.bounces.map(({ address, kind }) => `${address} ${kind}`) : [reading.is];
}

test('reports nested twenty deep: only the outermost counts', async () => {
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

test('NULs, UTF-7, a truncated message and random bytes do not throw', async () => {
  const message = shapes['postfix']?.({ to: 'a@x.example', status: '5.1.1', reply: '550 5.1.1 User unknown' }) ?? '';
  expect(await addresses(message.replaceAll('could not', 'could\0not'))).toEqual(['a@x.example hard']);
  await read(message.replace('us-ascii', 'utf-7'));
  for (let length = 0; length < message.length; length += 97) await read(message.slice(0, length));
  for (let seed = 1; seed < 40; seed++) {
    const bytes = Buffer.from(message);
    for (let at = seed; at < bytes.length; at += seed * 7) bytes[at] = (at * seed) & 0xff;
    await read(bytes);
  }
});

test('a message of 100 MB is read by its beginning', async () => {
  const head = Buffer.from(`${dsn('a@x.example')}\n`);
  const block = Buffer.alloc(1024 * 1024, `${'x'.repeat(75)}\n`);
  async function* pieces(): AsyncGenerator<Buffer> {
    yield head;
    for (let at = 0; at < 100; at++) yield block;
  }
  const found: number[] = [];
  for await (const { bytes } of splitMessages(pieces())) {
    found.push(bytes.length);
    expect(await addresses(bytes)).toEqual(['a@x.example hard']);
  }
  expect(found.length).toBe(1);
  expect(found[0]).toBeLessThan(1.2 * 1024 * 1024);
});
