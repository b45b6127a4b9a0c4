import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OutcomeStats } from '../../src/report/outcome-stats.js';
import { openLocalService } from '../../src/service/local/local.js';
import { runCli } from '../cli/run-cli.js';
import { a, mx } from '../fakes/dns-records.js';
import { type DnsServer, startDnsServer } from '../fakes/dns-server.js';
import { type SmtpHost, startSmtpHost } from '../fakes/smtp-host.js';
import { seededRandom } from '../seeded-random.js';
import { shapes } from './shapes.js';

/** MAILVET_SEASON=50000 simulates more addresses. */
const size = Number(process.env['MAILVET_SEASON'] ?? 1_000);

/** A simulated mailbox: what its host replies to RCPT, and what happens to its mail. */
interface Mailbox {
  email: string;
  exists: boolean;
  saysExists: boolean;
}

/** Error rates of mail hosts that distinguish mailboxes. */
const falseValidRate = 0.02;
const falseInvalidRate = 0.05;

const random = seededRandom(20261117);
const domains = createDomains();
const mailboxes = createMailboxes();
const byEmail = new Map(mailboxes.map((mailbox) => [mailbox.email, mailbox]));
// Half of each domain is mailed first.
const isFirst = (_: Mailbox, index: number): boolean => Math.floor(index / domains.length) % 2 === 0;
const first = mailboxes.filter(isFirst);
const second = mailboxes.filter((mailbox, index) => !isFirst(mailbox, index));

const folder = mkdtempSync(join(tmpdir(), 'mailvet-season-'));
const pathOf = (name: string): string => join(folder, name);
const environment = { MAILVET_HOME: pathOf('home') };
let dns: DnsServer;
let host: SmtpHost;
beforeAll(async () => {
  host = await startSmtpHost({
    rcpt: (address) => {
      const domain = address.slice(address.lastIndexOf('@') + 1);
      if (domain.startsWith('all')) return '250 2.1.5 Ok';
      if (domain.startsWith('later')) return '451 4.3.0 Try again later';
      return byEmail.get(address)?.saysExists ? '250 2.1.5 Ok' : '550 5.1.1 User unknown';
    },
  });
  dns = await startDnsServer(({ type, name }) => {
    if (type === 'MX') return { answers: [mx(`mx.${name}`, 10, name)] };
    return type === 'A' && name.startsWith('mx.') ? { answers: [a('127.0.0.1', name)] } : {};
  });
});
afterAll(async () => {
  await host.stop();
  await dns.close();
  rmSync(folder, { recursive: true, force: true });
});

test(`simulated mailings to ${size} addresses: the measured error rates match the simulation, and learning calibrates`, async () => {
  await vet(first, 'vetted.csv');
  await vet(second, 'before.csv');
  const mailed = await mail(first);
  const args = [
    'bounces',
    pathOf('bounces.mbox'),
    '--against',
    pathOf('vetted.csv'),
    '--sent',
    pathOf('sent.csv'),
    '--json',
    '--learn',
  ];
  const { status, out } = await runCli([...args, '--only', 'complaint'], { tty: false, environment });
  expect(status).toBe(0);
  const outcomes: OutcomeStats = JSON.parse(out).outcomes;
  const verdicts = readVerdicts('vetted.csv');
  const hardBouncesOf = (word: string): number =>
    first.filter(({ email }) => verdicts.get(email)?.status === word && mailed.hard.has(email)).length;
  expect(outcomes.mailed).toBe(first.length);
  for (const { name, hard, hard_rate } of outcomes.by_status) {
    expect([name, hard]).toEqual([name, hardBouncesOf(name)]);
    expect(hard_rate.low).toBeLessThanOrEqual(hard / hard_rate.of);
  }
  expectWithin(outcomes.false_valid, falseValidRate);
  expectWithin(outcomes.saved_bounces, 1 - falseInvalidRate);

  await vet(second, 'after.csv');
  const [before, after] = [calibrationError('before.csv'), calibrationError('after.csv')];
  console.log(
    `season of ${size}: false valid ${JSON.stringify(outcomes.false_valid)}, catch-all error ${before} → ${after}`,
  );
  expect(after).toBeLessThanOrEqual(before / 2);
  const words = (name: string) => [...readVerdicts(name)].map(([email, verdict]) => [email, verdict.status]);
  expect(words('after.csv')).toEqual(words('before.csv'));
}, 600_000);

/** The 95% interval contains the true rate. With this seed, that holds for every tested rate. */
function expectWithin({ low, high }: { low: number; high: number }, rate: number): void {
  expect(low).toBeLessThanOrEqual(rate);
  expect(high).toBeGreaterThanOrEqual(rate);
}

async function vet(list: readonly Mailbox[], name: string): Promise<void> {
  writeFileSync(pathOf('list.csv'), `email\n${list.map(({ email }) => email).join('\n')}\n`);
  const service = await openLocalService({
    home: pathOf('home'),
    resolvers: [dns.address],
    smtpPort: host.port,
    allowNetworks: ['127.0.0.0/8'],
    ehloName: 'probe.example.net',
    greylistWaitMs: 0,
  });
  const { status, err } = await runCli(['bulk', pathOf('list.csv'), '-o', pathOf(name), '-q'], {
    tty: false,
    environment,
    service,
  });
  expect([status, err]).toEqual([0, '']);
}

/** Mails a list: missing mailboxes bounce in one of many shapes, and some mail is refused for other reasons. */
async function mail(list: readonly Mailbox[]): Promise<{ hard: Set<string> }> {
  const mbox = createWriteStream(pathOf('bounces.mbox'));
  const names = Object.keys(shapes);
  const hard = new Set<string>();
  for (const { email, exists } of list) {
    const chance = random();
    const reply = !exists
      ? { status: '5.1.1', reply: '550 5.1.1 User unknown' }
      : chance < 0.02
        ? { status: '5.2.2', reply: '552 5.2.2 Mailbox full' }
        : chance < 0.03
          ? { status: '5.7.1', reply: '554 5.7.1 Message rejected as spam' }
          : null;
    if (!exists) hard.add(email);
    if (reply === null) continue;
    const shape = shapes[names[Math.floor(random() * names.length)] ?? ''];
    mbox.write(`From MAILER-DAEMON Tue Nov  3 10:11:12 2026\n${shape?.({ to: email, ...reply })}\n`);
  }
  await new Promise<void>((resolve) => mbox.end(resolve));
  writeFileSync(pathOf('sent.csv'), `email\n${list.map(({ email }) => email).join('\n')}\n`);
  return { hard };
}

function readVerdicts(name: string): Map<string, { status: string; subStatus: string; confidence: number }> {
  const lines = readFileSync(pathOf(name), 'utf8').trim().split('\n').slice(1);
  return new Map(
    lines.map((line) => {
      const [email = '', status = '', subStatus = '', confidence = ''] = line.split(',');
      return [email, { status, subStatus, confidence: Number(confidence) }];
    }),
  );
}

/** The mean difference between the confidence of a catch-all domain and its true share of mailboxes. */
function calibrationError(name: string): number {
  const verdicts = [...readVerdicts(name)];
  const errors = domains
    .filter(({ kind }) => kind === 'all')
    .map(({ name: domain, rate }) => {
      const ofDomain = verdicts.filter(([email]) => email.endsWith(`@${domain}`));
      const mean = ofDomain.reduce((sum, [, { confidence }]) => sum + confidence, 0) / ofDomain.length;
      return Math.abs(mean - rate);
    });
  return errors.reduce((sum, error) => sum + error, 0) / errors.length;
}

function createDomains() {
  const kinds = ['tells', 'tells', 'tells', 'tells', 'tells', 'tells', 'all', 'all', 'all', 'later'] as const;
  const count = Math.min(500, Math.ceil(size / 40));
  return Array.from({ length: count }, (_, index) => {
    const kind = kinds[index % kinds.length] ?? 'tells';
    return { name: `${kind}${index}.vetlab.com`, kind, rate: kind === 'tells' ? 0.9 : 0.1 + random() * 0.88 };
  });
}

function createMailboxes(): Mailbox[] {
  return Array.from({ length: size }, (_, index): Mailbox => {
    const { name, kind, rate } = domains[index % domains.length] ?? { name: '', kind: 'tells', rate: 1 };
    const saysExists = random() < rate;
    const isWrong = kind === 'tells' && random() < (saysExists ? falseValidRate : falseInvalidRate);
    return { email: `anna.berg${index}@${name}`, saysExists, exists: isWrong ? !saysExists : saysExists };
  });
}
