import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shapes } from '../bounces/shapes.js';
import { a, mx } from '../fakes/dns-records.js';
import { type DnsServer, startDnsServer } from '../fakes/dns-server.js';
import { relays, startEximRelay, startPostfixRelay } from './bouncing-servers.js';
import { untilListening } from './listening.js';
import { startNextHop } from './next-hop.js';
import { ensurePackages } from './packages.js';
import { sendMessage } from './send-message.js';

const bin = resolve(import.meta.dirname, '../../bin/mailvet.js');
const dir = mkdtempSync(join(tmpdir(), 'mailvet-logs-'));
const nextHop = '127.0.16.1';
const sender = 'news@back.vetlab.com';
const domain = 'all.vetlab.com';
const stops: (() => Promise<unknown>)[] = [];
let dns: DnsServer;

interface Fate {
  count: number;
  outcome: string;
  rcpt?: string;
  data?: string;
}

/** How many mailboxes of each kind are mailed, and what their host says. All that is not refused at RCPT is accepted there. */
const plan = {
  fine: { count: 1_200, outcome: 'delivered' },
  late: { count: 200, outcome: 'delivered' },
  gone: { count: 200, outcome: 'hard', rcpt: '550 5.1.1 User unknown' },
  full: { count: 100, outcome: 'soft', rcpt: '552 5.2.2 Mailbox full' },
  after: { count: 200, outcome: 'hard', data: '550 5.1.1 No such user here' },
  later: { count: 100, outcome: 'delay', rcpt: '451 4.7.1 Try again later' },
} as const satisfies Record<string, Fate>;
type Kind = keyof typeof plan;
const kinds = Object.keys(plan) as Kind[];
const kindOf = (address: string): Kind => (/^[a-z]+/.exec(address)?.[0] ?? '') as Kind;
const isPlanned = (address: string): boolean => /^[a-z]+\d+\.(?:postfix|exim)@/.test(address);

const servers = ['postfix', 'exim'] as const;
const logs = { postfix: join(dir, 'postfix/data/mail.log'), exim: join(dir, 'exim/var/log/exim4/mainlog') };
const addressesOf = (kind: Kind, server: string): string[] =>
  Array.from({ length: plan[kind].count }, (_, index) => `${kind}${index}.${server}@${domain}`);

beforeAll(async () => {
  ensurePackages();
  const replyOf = (address: string, step: 'rcpt' | 'data'): string => {
    const fate: Fate | null = isPlanned(address) ? plan[kindOf(address)] : null;
    return fate?.[step] ?? '250 2.1.5 Ok';
  };
  const hop = await startNextHop(nextHop, {
    replyTo: (recipient) => replyOf(recipient, 'rcpt'),
    replyToMessage: ([recipient = '']) => replyOf(recipient, 'data'),
    onMessage: () => {},
  });
  stops.push(hop.stop);
  dns = await startDnsServer(({ type, name }) => {
    if (type === 'MX' && name === domain) return { answers: [mx(`mx.${domain}`, 10, name)] };
    return type === 'A' && name === `mx.${domain}` ? { answers: [a(nextHop, name)] } : {};
  });
  stops.push(() => dns.close());
  stops.unshift(startPostfixRelay(join(dir, 'postfix'), nextHop).stop);
  stops.unshift(startEximRelay(join(dir, 'exim'), nextHop).stop);
  for (const server of servers) await untilListening(relays[server], 25, server);
  for (const server of servers) {
    for (const kind of kinds) {
      const addresses = addressesOf(kind, server);
      for (let start = 0; start < addresses.length; start += 40) {
        const recipients = addresses.slice(start, start + 40);
        await sendMessage(relays[server], { sender, recipients, id: `${kind}${start}.${server}@back.vetlab.com` });
      }
    }
  }
}, 300_000);

afterAll(async () => {
  for (const stop of stops) await stop();
  rmSync(dir, { recursive: true, force: true });
});

async function mailvet(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  const env = { ...process.env, MAILVET_HOME: join(dir, 'home'), TZ: 'UTC' };
  return promisify(execFile)(process.execPath, [bin, ...args], { env, maxBuffer: 2 ** 26 });
}

interface Row {
  address: string;
  kind: string;
}

async function readLog(path: string): Promise<{ rows: Row[]; delays: number }> {
  const { stdout } = await mailvet('bounces', path, '--json', '--only', 'delivered,hard,soft,policy,unreadable');
  const { results, delay_count } = JSON.parse(stdout) as { results: Row[]; delay_count: number };
  // Without the server's own reports to the sender.
  return { rows: results.filter(({ address }) => isPlanned(address)), delays: delay_count };
}

/** The same log, written four days ago. */
function fourDaysEarlier(server: keyof typeof logs): string {
  const earlier = (stamp: string): Date => new Date(Date.parse(`${stamp} UTC`) - 4 * 86_400_000);
  const text = readFileSync(logs[server], 'latin1');
  if (server === 'exim')
    return text.replace(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/gm, (stamp) =>
      earlier(stamp).toISOString().slice(0, 19).replace('T', ' '),
    );
  const year = new Date().getUTCFullYear();
  return text.replace(/^\w{3} [ \d]\d \d\d:\d\d:\d\d/gm, (stamp) => {
    const [, day, month, , time] = earlier(`${stamp} ${year}`).toUTCString().split(' ');
    return `${month} ${String(Number(day)).padStart(2)} ${time}`;
  });
}

describe.each(servers)('the log of a real %s', (server) => {
  test('has the outcome of each of 2,000 recipients', async () => {
    const expected = kinds
      .filter((kind) => plan[kind].outcome !== 'delay')
      .flatMap((kind) => addressesOf(kind, server).map((address) => `${address} ${plan[kind].outcome}`))
      .sort();
    let found = await readLog(logs[server]);
    for (let attempt = 0; attempt < 90 && found.rows.length < expected.length; attempt++) {
      await new Promise((wake) => setTimeout(wake, 1_000));
      found = await readLog(logs[server]);
    }
    expect(found.rows.map(({ address, kind }) => `${address} ${kind}`).sort()).toEqual(expected);
    expect(found.delays).toBeGreaterThanOrEqual(plan.later.count);
  }, 180_000);

  test('makes the real mailboxes of a catch-all domain valid, and those that bounced later not', async () => {
    const log = join(dir, `${server}.log.1.gz`);
    writeFileSync(log, gzipSync(Buffer.from(fourDaysEarlier(server), 'latin1')));
    const notices = addressesOf('late', server).map((to) => {
      const notice = shapes['postfix']?.({ to, status: '5.1.1', reply: '550 5.1.1 User unknown' }) ?? '';
      return `From MAILER-DAEMON ${new Date().toUTCString()}\n${notice.replace(/^Date:.*$/m, `Date: ${new Date().toUTCString()}`)}\n`;
    });
    const mbox = join(dir, `${server}.mbox`);
    writeFileSync(mbox, notices.join(''));
    const list = join(dir, `${server}.txt`);
    const samples = (['fine', 'late', 'after', 'gone'] as const).flatMap((kind) =>
      addressesOf(kind, server).slice(0, 10),
    );
    writeFileSync(list, `${samples.join('\n')}\nnever.mailed@${domain}\n`);
    const learn = () => mailvet('bounces', log, mbox, '--learn', '--only', 'soft', '--format', 'ndjson');
    const vet = async (): Promise<string[]> => {
      const settings = [`resolvers=${dns.address}`, 'allow_networks=127.0.0.0/8', 'greylist_wait=0'];
      const flags = settings.flatMap((setting) => ['--set', setting]);
      const { stdout } = await mailvet('bulk', list, '--format', 'ndjson', ...flags).catch((error) => error);
      const results = stdout
        .trim()
        .split('\n')
        .map((line: string) => JSON.parse(line));
      return results.map(({ status, sub_status }: Record<string, string>) => `${status} ${sub_status}`);
    };
    const expected = [
      ...Array(10).fill('valid delivered'),
      ...Array(10).fill('risky catch_all'),
      ...Array(10).fill('risky catch_all'),
      ...Array(10).fill('invalid mailbox_not_found'),
      'risky catch_all',
    ];
    const { stderr } = await learn();
    expect(await vet()).toEqual(expected);
    expect((await learn()).stderr).toBe(stderr);
    expect(await vet()).toEqual(expected);
  }, 120_000);
});
