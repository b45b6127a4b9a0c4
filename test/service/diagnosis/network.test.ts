import { describe, expect, test } from 'vitest';
import type { SmtpReply } from '../../../src/model/evidence.js';
import { Failure } from '../../../src/model/failure.js';
import { type FaultKind, SmtpFault } from '../../../src/net/smtp/fault.js';
import type { Greeting } from '../../../src/net/smtp/greeting.js';
import { checkRemote } from '../../../src/service/diagnosis/diagnosis.js';
import { checkBlockLists, checkGreetingName, findOwnAddress } from '../../../src/service/diagnosis/greeting-name.js';
import {
  type Attempt,
  checkMailPort,
  findTargets,
  outcomeOf,
  parseProbe,
  probedDomains,
} from '../../../src/service/diagnosis/mail-port.js';
import { checkResolvers, type OpenDns } from '../../../src/service/diagnosis/resolvers.js';
import { openRemoteService } from '../../../src/service/remote/remote.js';
import {
  type DnsTable,
  fakeDns,
  found,
  foundMx,
  nodata,
  nxdomain,
  refused,
  servfail,
  timeout,
} from '../../fakes/fake-dns.js';
import { fakeService } from '../../fakes/service.js';

const { signal } = new AbortController();

describe('resolvers', () => {
  const honest: DnsTable = { 'NS com': found('a.gtld-servers.net'), 'A *.com': nxdomain, 'MX *.com': nxdomain };
  const check = (tables: Record<string, DnsTable>) => {
    const openDns: OpenDns = ([resolver = '']) => fakeDns(tables[resolver] ?? {});
    return checkResolvers({ resolvers: Object.keys(tables), openDns, timeoutMs: 100, signal });
  };

  test.each<[name: string, tables: Record<string, DnsTable>, want: string[]]>([
    ['an honest resolver', { a: honest }, ['ok']],
    ['a resolver without name servers of com', { a: { ...honest, 'NS com': nodata } }, ['fail']],
    ['a resolver that denies everything', { a: { 'NS com': nxdomain } }, ['fail']],
    ['a resolver that invents answers', { a: { ...honest, 'A *.com': found('198.51.100.7') } }, ['warn']],
    [
      'a resolver that invents mail servers only',
      { a: { ...honest, 'MX *.com': found({ exchange: 'mx.example.net', preference: 10 }) } },
      ['warn'],
    ],
    ['a silent resolver', { a: { 'NS com': timeout } }, ['fail']],
    ['a resolver that refuses the client', { a: { 'NS com': refused } }, ['fail']],
    ['a silent resolver and a good one', { a: { 'NS com': servfail }, b: honest }, ['warn', 'ok']],
    ['a lying resolver and a good one', { a: { 'NS com': nxdomain }, b: honest }, ['fail', 'ok']],
    ['none', {}, ['fail']],
  ])('%s', async (_name, tables, want) => {
    const checks = await check(tables);
    expect(checks.map(({ state }) => state)).toEqual(want);
    for (const { state, code, hint } of checks) {
      expect(code).toBe(state === 'fail' ? 'network' : null);
      expect(hint === null).toBe(state === 'ok');
    }
  });

  test('an invalid address is reported', async () => {
    const openDns: OpenDns = () => {
      throw new Failure('usage', 'No resolver.');
    };
    expect(await checkResolvers({ resolvers: ['x'], openDns, timeoutMs: 1, signal })).toMatchObject([
      { state: 'fail', code: 'usage', subject: 'x' },
    ]);
  });
});

describe('--probe', () => {
  test.each([
    ['mx.example.org', { host: 'mx.example.org', port: null }],
    ['MX.example.org:2525', { host: 'mx.example.org', port: 2525 }],
    ['192.0.2.1', { host: '192.0.2.1', port: null }],
    ['127.0.0.1:25', { host: '127.0.0.1', port: 25 }],
    ['2001:db8::1', { host: '2001:db8::1', port: null }],
    ['[2001:db8::1]:25', { host: '2001:db8::1', port: 25 }],
    ['localhost:1025', { host: 'localhost', port: 1025 }],
  ])('reads %s', (text, want) => expect(parseProbe(text)).toEqual(want));

  test.each([
    '',
    ' ',
    ':25',
    'mx.example.org:0',
    'mx.example.org:99999',
    'a b',
    '300.1.1.1',
    '[mx]:25',
    'x:y',
    'a@b.co',
    'mx..example.org',
    '-mx.example.org',
    `${'mx1.mail-gateway.eu-central.'.repeat(7)}example.org/`,
  ])('refuses "%s"', (text) => expect(() => parseProbe(text)).toThrow(expect.objectContaining({ code: 'usage' })));
});

describe('the dialed hosts', () => {
  test('are the first public mail server of each large provider', async () => {
    const dns = fakeDns({
      'MX gmail.com': foundMx('20 b.google.com', '5 a.google.com'),
      'MX outlook.com': foundMx('0 .'),
      'MX yahoo.com': foundMx('1 inside.yahoo.com'),
      'MX icloud.com': foundMx('10 mx.icloud.com'),
      'A a.google.com': found('8.8.8.8', '2001:4860::1'),
      'A inside.yahoo.com': found('10.0.0.7', '::1'),
      'A mx.icloud.com': nxdomain,
    });
    expect(probedDomains).toEqual(['gmail.com', 'outlook.com', 'yahoo.com', 'icloud.com']);
    expect(await findTargets([], dns, 25, signal)).toEqual([
      {
        host: 'a.google.com',
        port: 25,
        v4: { host: 'a.google.com', ip: '8.8.8.8', port: 25 },
        v6: { host: 'a.google.com', ip: '2001:4860::1', port: 25 },
      },
    ]);
  });

  test('include the given hosts, even private ones and those without an address', async () => {
    const dns = fakeDns({ 'A gone.example.org': nxdomain });
    const probes = ['10.0.0.1', 'localhost:2525', 'gone.example.org'].map(parseProbe);
    expect(await findTargets(probes, dns, 25, signal)).toMatchObject([
      { v4: { ip: '10.0.0.1', port: 25 }, v6: null },
      { v4: { ip: '127.0.0.1', port: 2525 } },
      { host: 'gone.example.org', v4: null, v6: null },
    ]);
  });
});

function reply(text: string, stage: SmtpReply['stage']): SmtpReply {
  return { stage, code: Number(text.slice(0, 3)), enhanced: null, text: text.slice(4) };
}

interface Replies {
  banner?: string;
  ehlo?: string;
  fault?: FaultKind;
  connected?: boolean;
  ourIp?: string;
  port?: number;
}

function attempt(host: string, ip: string, replies: Replies = {}): Attempt {
  const { banner, ehlo, fault, connected = fault === undefined || banner !== undefined, port = 25 } = replies;
  const target = { host, ip, port };
  const greeting: Greeting = {
    target,
    connected,
    banner: fault !== undefined && banner === undefined ? null : reply(banner ?? `220 ${host} ESMTP`, 'banner'),
    ehlo:
      fault !== undefined || (banner !== undefined && !banner.startsWith('220'))
        ? null
        : reply(ehlo ?? '250 hi', 'ehlo'),
    ourIp: replies.ourIp ?? null,
    fault: fault === undefined ? null : new SmtpFault(fault, 'connect', `it is ${fault}`),
    elapsedMs: 7,
  };
  return { target: { host, port, v4: target, v6: null }, greeting };
}

describe('the mail port', () => {
  const timedOut = { fault: 'connect_timeout', connected: false } as const;
  const [first, second, third] = ['8.8.8.8', '9.9.9.9', '1.1.1.1'] as const;
  const at = (ip: string, replies: Replies = {}): Attempt => attempt(`mx${ip}`, ip, replies);
  const silent = at(first, timedOut);
  const alsoSilent = [at(second, timedOut), at(third, timedOut)];
  const refusing = at(first, { banner: '554 5.7.1 blocked using zen.spamhaus.org' });
  const noBanner = at(first, { fault: 'no_banner', connected: true });
  const trapped = { banner: '220 trap.isp.net ESMTP' };
  const optionsFor = (cache: object, change: { port?: number; hasNamedHosts?: boolean; hasProxy?: boolean } = {}) => ({
    ...{ port: 25, hasNamedHosts: false, hasProxy: false, dnsWorks: true, cache: cache as never },
    ...change,
  });

  test.each<[name: string, attempts: Attempt[], state: string, says: string, memory: string[], isNamed?: boolean]>([
    ['all greet', [at(first), at(second)], 'ok', '2 of 2 mail servers greeted us: mx8.8.8.8 in 7 ms', ['clear']],
    [
      'one is down',
      [at(second), silent],
      'warn',
      '1 of 2 mail servers greeted us, but mx8.8.8.8: it is connect_timeout',
      ['clear'],
    ],
    ['three unrelated hosts are silent', [silent, ...alsoSilent], 'fail', 'remembered for an hour', ['set']],
    ['two are not enough for the cache', alsoSilent, 'fail', 'could be reached: mx9.9.9.9: it is connect_timeout', []],
    ['a private host proves nothing about the port', [at('127.0.0.1')], 'ok', '1 mail server greeted us', [], true],
    ['another port proves nothing', [at(first, { port: 587 })], 'ok', '1 mail server greeted us', [], true],
    ['no banners', [noBanner], 'fail', 'Mail servers accepted the connection but sent no greeting', []],
    ['one name in all banners', [at(first, trapped), at(second, trapped)], 'fail', 'all greet as trap.isp.net', []],
    [
      'all refuse the client',
      [refusing],
      'fail',
      'refuse us: mx8.8.8.8 says 554 5.7.1 blocked using zen.spamhaus.org (antispam_system)',
      ['clear'],
    ],
    ['a host with HELO only', [at(first, { ehlo: '502 what?' })], 'ok', '1 mail server greeted us', ['clear']],
    ['no host dialed', [], 'skipped', 'No mail server was contacted', []],
  ])('%s', (_name, attempts, state, says, memory, isNamed = false) => {
    const calls: string[] = [];
    const cache = { get: () => true, set: () => calls.push('set'), clear: () => calls.push('clear') };
    const check = checkMailPort(attempts, optionsFor(cache, { hasNamedHosts: isNamed }));
    expect(check.state).toBe(state);
    expect(check.message).toContain(says);
    expect(check.code).toBe(state === 'fail' ? 'network' : null);
    expect(calls).toEqual(memory);
  });

  test.each([
    { port: 25, want: 'This network blocks port 25,' },
    { port: 2626, want: 'Public mail servers listen on port 25. Name one that listens on port 2626:' },
  ])('nothing could be reached on port $port', ({ port, want }) => {
    const attempts = [attempt('a', '8.8.8.8', { fault: 'refused', connected: false, port })];
    const cache = { get: () => false, set: () => {}, clear: () => {} };
    expect(checkMailPort(attempts, optionsFor(cache, { port })).hint).toContain(want);
  });

  test('through a proxy nothing is cached', () => {
    const never = () => expect.unreachable();
    const cache = { get: never, set: never, clear: never };
    const attempts = [first, second, third].map((ip) => at(ip, { fault: 'proxy', connected: false }));
    const check = checkMailPort(attempts, optionsFor(cache, { hasProxy: true }));
    expect(check).toMatchObject({ state: 'fail', hint: expect.stringContaining('proxy') });
  });

  test.each([
    [attempt('a', '8.8.8.8'), 'greeted'],
    [attempt('a', '8.8.8.8', timedOut), 'connect_timeout'],
    [attempt('a', '8.8.8.8', { banner: '554 no' }), 'refused_us'],
    [{ ...attempt('a', '8.8.8.8'), greeting: null }, 'no_address'],
  ])('each attempt has an outcome (%#)', (one, want) => expect(outcomeOf(one)).toBe(want));
});

describe('our own address', () => {
  const greetings = (replies: Replies) => [attempt('mx', '8.8.8.8', replies).greeting].filter((each) => each !== null);
  test.each([
    {
      name: 'as a mail server sees it',
      greetings: greetings({ ehlo: '250 mx at your service, [203.0.114.9] SIZE 157286400', ourIp: '10.0.0.5' }),
      local: [],
      want: { ip: '203.0.114.9', source: 'mail_host' },
    },
    {
      name: 'as a mail server sees it, over IPv6',
      greetings: greetings({ ehlo: '250 mx Hello [IPv6:2A01:4F8::1]', ourIp: 'fd00::5' }),
      local: [],
      want: { ip: '2a01:4f8::1', source: 'mail_host' },
    },
    {
      name: "not the host's own",
      greetings: greetings({ ehlo: '250 mx [8.8.8.8] hello [10.0.0.5]', ourIp: '10.0.0.5' }),
      local: [],
      want: null,
    },
    {
      name: 'our end of the connection',
      greetings: greetings({ ourIp: '203.0.114.9' }),
      local: ['198.51.101.1'],
      want: { ip: '203.0.114.9', source: 'connection' },
    },
    { name: "an interface's", greetings: [], local: ['10.0.0.5', '203.0.114.9'], want: { source: 'interface' } },
  ])('$name', ({ greetings: given, local, want }) => {
    const ownAddress = findOwnAddress(given, local, false);
    if (want === null) expect(ownAddress).toBeNull();
    else expect(ownAddress).toMatchObject(want);
  });

  test('behind a proxy, only a mail server can tell it', () => {
    expect(findOwnAddress(greetings({ ourIp: '203.0.114.9' }), ['203.0.114.9'], true)).toBeNull();
  });
});

describe('the EHLO name', () => {
  const ownAddress = { ip: '203.0.114.9', source: 'connection' } as const;
  const ptr = 'PTR 203.0.114.9';
  const mail = { [ptr]: found('mail.example.org'), 'A mail.example.org': found('203.0.114.9') };
  const reverse = { [ptr]: found('a.example.org') };
  const other = { 'A a.example.org': found('203.0.114.10') };
  const name = 'a.example.org';
  const unclear = 'Whether a.example.org resolves to 203.0.114.9 could not be determined';
  const another = 'We greet as laptop.example.net, but 203.0.114.9 resolves back to mail.example.org';
  test.each<[name: string, ehlo: string | null, table: DnsTable, state: string, says: string]>([
    ['forward and reverse names agree', 'Mail.example.org', mail, 'ok', 'resolves to it and back'],
    ['another name', 'laptop.example.net', mail, 'warn', another],
    ['brackets where there is a name', null, mail, 'warn', 'We greet as our address in brackets'],
    ['no reverse name', name, { [ptr]: nxdomain }, 'warn', 'no reverse DNS'],
    ['no answer', name, { [ptr]: servfail }, 'warn', 'could not be determined'],
    ['no answer for the reverse name', name, { ...reverse, 'A a.example.org': servfail }, 'warn', unclear],
    ['a reverse name that does not lead back', name, { ...reverse, ...other }, 'warn', 'does not resolve to it again'],
    ['behind NAT, with a name that resolves', name, other, 'skipped', 'which resolves to 203.0.114.10'],
    ['behind NAT, with a name that does not', name, { 'A a.example.org': nxdomain }, 'warn', 'which does not resolve'],
    ['behind NAT, without a name', null, {}, 'warn', 'in brackets'],
  ])('%s', async (title, ehlo, table, state, says) => {
    const check = await checkGreetingName({
      ehloName: ehlo,
      ownAddress: title.startsWith('behind NAT') ? null : ownAddress,
      dns: fakeDns(table),
      signal,
    });
    expect(check.state).toBe(state);
    expect(check.message).toContain(says);
  });
});

describe('the remote service', () => {
  const page = { jobs: [], skip: 0, limit: 1 };
  const failing = (code: 'key_refused' | 'network') => async () => {
    throw new Failure(code, 'No.');
  };
  test.each([
    ['no service is configured', false, null, { state: 'skipped' }],
    ['it answers', true, async () => page, { state: 'ok' }],
    ['the key is refused', true, failing('key_refused'), { state: 'fail', code: 'key_refused' }],
    ['it is away', true, failing('network'), { state: 'fail', code: 'network' }],
    ['it cannot be reached and is not in use', false, failing('network'), { state: 'warn', code: null }],
  ])('%s', async (_name, inUse, listJobs, want) => {
    let closed = 0;
    const close = async () => {
      closed++;
    };
    const open = listJobs === null ? null : async () => fakeService({ listJobs, close });
    expect(await checkRemote({ inUse, baseUrl: 'https://x.example', open, signal })).toMatchObject(want);
    expect(closed).toBe(listJobs === null ? 0 : 1);
  });

  test('the hint does not advise to run doctor', async () => {
    const open = async () => openRemoteService({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k', retries: 0 });
    const check = await checkRemote({ inUse: true, baseUrl: 'http://127.0.0.1:1', open, signal });
    expect(check).toMatchObject({ state: 'fail', hint: 'Check the base URL and the network.' });
  });
});

describe('block lists', () => {
  const blockLists = ['zen.spamhaus.org', 'bl.spamcop.net', 'psbl.surriel.org'];
  const [zen, spamCop, psbl] = blockLists.map((list) => `A 9.114.0.203.${list}`) as [string, string, string];
  const clean: DnsTable = { [zen]: nxdomain, [spamCop]: nxdomain, [psbl]: nxdomain };
  const check = (table: DnsTable, ip: string | null = '203.0.114.9') => checkBlockLists(ip, fakeDns(table), signal);

  test.each<[name: string, table: DnsTable, state: string, says: string]>([
    ['on none', clean, 'ok', 'is not on zen.spamhaus.org, bl.spamcop.net, psbl.surriel.org.'],
    ['on one', { ...clean, [zen]: found('127.0.0.4') }, 'warn', 'is on zen.spamhaus.org,'],
    [
      'a list that refuses a public resolver',
      { ...clean, [zen]: found('127.255.255.254') },
      'ok',
      'is not on bl.spamcop.net, psbl.surriel.org; no usable answer of zen.spamhaus.org.',
    ],
    [
      'on one, while another is silent',
      { ...clean, [zen]: timeout, [psbl]: found('127.0.0.2') },
      'warn',
      'is on psbl.surriel.org, so many mail servers refuse us; no usable answer of zen.spamhaus.org.',
    ],
    [
      'a network that answers every name with its own address',
      { [zen]: found('198.51.100.1'), [spamCop]: found('198.51.100.1'), [psbl]: servfail },
      'skipped',
      'No block list answered this DNS server',
    ],
  ])('%s', async (_name, table, state, says) => {
    const found = await check(table);
    expect(found.state).toBe(state);
    expect(found.message).toContain(says);
  });

  test('each list is asked once, also about an IPv6 address', async () => {
    const name = (list: string) => `A ${'1.0.0.0.'.padEnd(48, '0.')}0.6.8.4.1.0.0.2.${list}`;
    const dns = fakeDns(Object.fromEntries(blockLists.map((list) => [name(list), nxdomain])));
    expect(await checkBlockLists('2001:4860::1', dns, signal)).toMatchObject({ state: 'ok' });
    expect(dns.questions).toHaveLength(blockLists.length);
  });

  test('without a public address nothing is asked', async () => {
    expect(await check({}, null)).toMatchObject({ state: 'skipped' });
  });
});
