import { expect, test } from 'vitest';
import { readLog } from '../../src/service/bounces/read-log.js';
import type { LocatedReading } from '../../src/service/bounces/read-table.js';
import { factRows } from '../fixtures/fact-rows.js';

const lastChange = Date.parse('2026-11-18T12:00:00Z');
const remote = 'relay=mx.rcpt.example[192.0.2.1]:25, delay=0.4, delays=0.1/0/0.1/0.2';

interface Entry {
  address: string;
  kind: string;
  date: string;
  source: string;
  reply: string;
}

async function read(text: string, piece = 1_000): Promise<{ entries: Entry[]; types: string[]; skipped: string[] }> {
  const bytes = Buffer.from(text);
  async function* pieces() {
    for (let start = 0; start < bytes.length; start += piece) yield bytes.subarray(start, start + piece);
  }
  const [entries, types, skipped]: [Entry[], string[], string[]] = [[], [], []];
  const batches = readLog(pieces(), 'mail.log', lastChange, (sentence) => skipped.push(sentence));
  const readings: LocatedReading[] = [];
  for await (const batch of batches) readings.push(...batch);
  for (const reading of readings) {
    types.push(reading.type);
    if (reading.type === 'bounce')
      for (const each of reading.bounces) entries.push({ ...each, source: reading.source });
  }
  return { entries, types, skipped };
}

const postfix = (line: string, program = 'smtp'): string => `Nov 17 10:11:12 mail postfix/${program}[99]: ${line}\n`;
const sent = (address: string, rest = remote): string =>
  postfix(`4F1A2B3C4D: to=<${address}>, ${rest}, dsn=2.0.0, status=sent (250 2.0.0 OK queued)`);

const exim = (rest: string): string => `2026-11-17 10:11:12 1tCk2a-000000001AB-2cDe ${rest}\n`;

test.each([...factRows('bounces', 'Postfix'), ...factRows('bounces', 'Exim')])('%s of %s', async (want, line) => {
  const { entries, types } = await read(line);
  const found = entries.length > 0 ? entries.map(({ address, kind }) => `${address} ${kind}`) : types;
  expect(found.join(', ') || 'nothing').toBe(want);
});

test('however the input is cut, each entry has its place and its time', async () => {
  const noise = `Nov 17 10:11:12 mail postfix/qmgr[1]: 4F1A: from=<jürgen@ours.example>, size=1, nrcpt=1 (queue active)\n`;
  const text = `${noise}${sent('jürgen@rcpt.example')}${noise}${sent('b@rcpt.example').trimEnd()}`;
  for (const piece of [1, 7, 100, 10_000]) {
    const { entries } = await read(text, piece);
    expect(entries.map(({ address }) => address)).toEqual(['jürgen@rcpt.example', 'b@rcpt.example']);
    expect(entries.map(({ date }) => date)).toEqual(Array(2).fill(new Date(2026, 10, 17, 10, 11, 12).toISOString()));
    expect(entries.map(({ source }) => source)).toEqual([
      `mail.log:${Buffer.byteLength(noise)}`,
      `mail.log:${Buffer.byteLength(noise + sent('jürgen@rcpt.example') + noise)}`,
    ]);
  }
});

test('a line of December in a log that was closed in January is of the year before', async () => {
  const line = sent('a@rcpt.example').replace('Nov 17', 'Dec 31');
  expect((await read(line)).entries[0]?.date.slice(0, 4)).toBe('2025');
});

test.each([
  { name: 'Exim', line: exim(`=> a@rcpt.example${' T=x H=y'.repeat(8_000)}`) },
  { name: 'Postfix', line: sent(`a@rcpt.example`, `${remote}, ${'a=b, '.repeat(12_000)}c=d`) },
  { name: 'no line end', line: ' => , status=sent'.repeat(60_000) },
])('a hostile line is read in linear time: $name', async ({ line }) => {
  const start = performance.now();
  await read(line.repeat(3), 64 * 1024);
  expect(performance.now() - start).toBeLessThan(2_000);
});

test('an expired message bounces for the recipients that were deferred last', async () => {
  const deferred = (address: string): string =>
    postfix(
      `4F1A: to=<${address}>, ${remote}, dsn=4.2.2, status=deferred (host mx said: 452 4.2.2 Mailbox full (in reply to RCPT TO command))`,
    );
  const expired = postfix('4F1A: from=<news@ours.example>, status=expired, returned to sender', 'qmgr');
  const later = sent('b@rcpt.example').replace('4F1A2B3C4D', '4F1A');
  const { entries, types } = await read(deferred('a@rcpt.example') + deferred('b@rcpt.example') + later + expired);
  expect(types).toEqual(['delay', 'delay', 'bounce', 'bounce']);
  expect(entries.map(({ address, kind }) => `${address} ${kind}`)).toEqual([
    'b@rcpt.example delivered',
    'a@rcpt.example soft',
  ]);
});

test('what a smarthost takes is not delivered; a provider that hosts several domains is none', async () => {
  const domains = ['one.example', 'two.example', 'three.example', 'four.example'];
  const through = (host: string): string =>
    domains.map((domain) => sent(`a@${domain}`, `relay=${host}[192.0.2.9]:25, delay=1`)).join('');
  const smarthost = await read(through('out.isp.example'));
  expect([smarthost.types, smarthost.skipped.length]).toEqual([Array(4).fill('other'), 1]);
  expect(smarthost.skipped[0]).toContain('out.isp.example takes the mail of all domains');
  expect((await read(through('aspmx.l.google.com'))).types).toEqual(Array(4).fill('bounce'));
});
