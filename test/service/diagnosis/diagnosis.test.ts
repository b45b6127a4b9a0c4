import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Dial } from '../../../src/net/smtp/dial.js';
import { directDial } from '../../../src/net/smtp/dial.js';
import { SmtpFault } from '../../../src/net/smtp/fault.js';
import type { Check } from '../../../src/service/diagnosis/check.js';
import { type DiagnosisOptions, diagnose } from '../../../src/service/diagnosis/diagnosis.js';
import { parseProbe } from '../../../src/service/diagnosis/mail-port.js';
import { openPort25Cache } from '../../../src/service/local/port25-cache.js';
import { type DnsTable, fakeDns, found, foundMx, nodata, nxdomain, servfail, timeout } from '../../fakes/fake-dns.js';
import { startSmtpHost } from '../../fakes/smtp-host.js';

const home = mkdtempSync(join(tmpdir(), 'mailvet-diagnosis-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const honest: DnsTable = {
  'NS com': found('a.gtld-servers.net'),
  'A *.com': nxdomain,
  'MX *.com': nxdomain,
  'MX gmail.com': foundMx('5 mx.gmail.com'),
  'MX outlook.com': foundMx('5 mx.outlook.com'),
  'MX yahoo.com': foundMx('5 mx.yahoo.com'),
  'MX icloud.com': foundMx('5 mx.icloud.com'),
  'A mx.gmail.com': found('8.8.8.8', '2001:4860::1'),
  'A mx.outlook.com': found('9.9.9.9'),
  'A mx.yahoo.com': found('1.1.1.1'),
  'A mx.icloud.com': found('4.4.4.4'),
  'A me.example.org': found('203.0.114.9'),
  'PTR 203.0.114.9': found('me.example.org'),
};

function optionsWith(change: Partial<DiagnosisOptions>, table: DnsTable = honest): DiagnosisOptions {
  return {
    home,
    settings: { path: join(home, 'config.json'), problem: null, containsSecret: false, notes: [] },
    level: 'smtp',
    resolvers: ['192.0.2.53'],
    probes: [],
    smtpPort: 25,
    ehloName: 'me.example.org',
    proxy: null,
    timeoutMs: 500,
    remote: { inUse: false, baseUrl: null, open: null },
    signal: new AbortController().signal,
    openDns: () => fakeDns(table),
    dial: () => expect.unreachable('no host should be dialed'),
    localAddresses: ['10.0.0.5'],
    ...change,
  };
}

async function runDiagnosis(change: Partial<DiagnosisOptions>, table?: DnsTable): Promise<Record<string, Check>> {
  const checks: Record<string, Check> = {};
  for await (const check of diagnose(optionsWith(change, table))) checks[check.name] = check;
  return checks;
}

const states = (checks: Record<string, Check>) =>
  Object.fromEntries(Object.values(checks).map(({ name, state }) => [name, state]));

/** Redirects every dial to a host on loopback, and records it. */
function diverted(port: number): { dial: Dial; dialed: string[] } {
  const dialed: string[] = [];
  const dial: Dial = (target, ...rest) => {
    dialed.push(`${target.ip}:${target.port}`);
    return directDial({ host: target.host, ip: '127.0.0.1', port }, ...rest);
  };
  return { dial, dialed };
}

test('reports all checks in a fixed order', async () => {
  let banners = 0;
  const host = await startSmtpHost({
    banner: () => `220 mx${banners++}.example.com ESMTP`,
    ehlo: () => '250 hello [203.0.114.9]',
  });
  const { dial, dialed } = diverted(host.port);
  openPort25Cache(home).set();
  try {
    const checks = await runDiagnosis({ dial });
    expect(states(checks)).toEqual({
      node: 'ok',
      settings: 'ok',
      data_directory: 'ok',
      job_store: 'skipped',
      lists: 'ok',
      resolver: 'ok',
      smtp_port: 'ok',
      ehlo_name: 'ok',
      remote: 'skipped',
    });
    expect(Object.keys(checks).at(-1)).toBe('remote');
    expect(dialed.sort()).toEqual(['1.1.1.1:25', '4.4.4.4:25', '8.8.8.8:25', '9.9.9.9:25']);
    expect(openPort25Cache(home).get()).toBe(false);
    expect(host.commands.filter((line) => !/^(EHLO me\.example\.org|QUIT)$/.test(line))).toEqual([]);
  } finally {
    await host.stop();
  }
});

const silent: Dial = async () => {
  throw new SmtpFault('connect_timeout', 'connect', 'no connection within 500 ms');
};

test('a blocked port fails and is cached', async () => {
  const checks = await runDiagnosis({ dial: silent });
  expect(checks['smtp_port']).toMatchObject({ state: 'fail', code: 'network' });
  expect(openPort25Cache(home).get()).toBe(true);
  openPort25Cache(home).clear();
});

test('with a remote service in use, faults of the engine are warnings', async () => {
  const checks = await runDiagnosis({ dial: silent, remote: { inUse: true, baseUrl: null, open: null } });
  expect(checks['smtp_port']).toMatchObject({ state: 'warn', code: null });
  openPort25Cache(home).clear();
});

const denyingAll: DnsTable = { 'NS com': nxdomain, 'A *.example.org': nxdomain, 'MX me.example.org': nxdomain };

test('a resolver that denies everything is the only failure, and no host is dialed', async () => {
  const checks = await runDiagnosis({}, denyingAll);
  expect(states(checks)).toMatchObject({ resolver: 'fail', smtp_port: 'skipped', ehlo_name: 'skipped' });
});

test('a host that was not looked up is not reported as having no address', async () => {
  const table = { ...denyingAll, 'MX mx.example.org': nxdomain };
  const checks = await runDiagnosis({ probes: [parseProbe('mx.example.org')] }, table);
  expect(states(checks)).toMatchObject({ resolver: 'fail', smtp_port: 'skipped' });
  expect(JSON.stringify(checks)).not.toContain('has no address');
});

describe('a network with its own DNS root', () => {
  const ownRoot: DnsTable = {
    'NS com': nxdomain,
    'A *.corp': found('127.0.0.1'),
    'A *.example.org': nxdomain,
    'MX me.example.org': nxdomain,
    'MX mx.intra.corp': nodata,
    'A mx.intra.corp': found('127.0.0.1'),
    'MX gmail.com': nxdomain,
    'MX outlook.com': nxdomain,
    'MX yahoo.com': nxdomain,
    'MX icloud.com': nxdomain,
    'MX intra.corp': foundMx('5 mx.intra.corp'),
    'PTR 203.0.114.9': nxdomain,
  };

  test('its mail server is reached through the resolver that denies com', async () => {
    const host = await startSmtpHost({});
    try {
      const probes = [parseProbe(`mx.intra.corp:${host.port}`)];
      const checks = await runDiagnosis({ probes, dial: directDial }, ownRoot);
      expect(checks['resolver']).toMatchObject({ state: 'warn', facts: { denies: true, knows: 'mx.intra.corp' } });
      expect(checks['smtp_port']).toMatchObject({ state: 'ok', facts: { probes: [{ outcome: 'greeted' }] } });
      expect(states(checks)['ehlo_name']).not.toBe('fail');
    } finally {
      await host.stop();
    }
  });

  test('the domain of the sender shows it, too, and the hint names a host to probe', async () => {
    const checks = await runDiagnosis({ mailFrom: 'probe@intra.corp' }, ownRoot);
    expect(checks['resolver']).toMatchObject({ state: 'warn', facts: { knows: 'intra.corp' } });
    expect(checks['mail_from']).toMatchObject({ state: 'ok' });
    expect(checks['smtp_port']).toMatchObject({
      state: 'skipped',
      hint: 'Name a mail server that you can reach: mailvet doctor --probe HOST',
    });
  });
});

describe('the sender', () => {
  const senderCheck = async (mailFrom: string, table: DnsTable = {}): Promise<Check | undefined> =>
    (await runDiagnosis({ mailFrom, level: 'dns' }, { ...honest, ...table }))['mail_from'];

  test('of a domain that does not exist is a warning', async () => {
    const table = { 'MX gone.example': nxdomain, 'A gone.example': nxdomain };
    const check = await senderCheck('probe@gone.example', table);
    expect(check).toMatchObject({ state: 'warn', message: expect.stringContaining('DNS has no mail server') });
  });

  test.each([
    { name: 'no MX answer', table: { 'MX slow.example': timeout, 'A slow.example': nodata } },
    { name: 'no answer at all', table: { 'MX slow.example': servfail, 'A slow.example': timeout } },
  ])('is not called missing after $name', async ({ table }) => {
    const check = await senderCheck('probe@slow.example', table);
    expect(check).toMatchObject({ state: 'warn', message: expect.stringContaining('could not be looked up') });
  });

  test('of a domain with a null MX is a warning', async () => {
    const check = await senderCheck('probe@quiet.example', {
      'MX quiet.example': found({ preference: 0, exchange: '' }),
    });
    expect(check).toMatchObject({ state: 'warn', message: expect.stringContaining('null MX') });
  });

  test('with an address literal is not looked up', async () => {
    expect(await senderCheck('probe@[203.0.114.9]')).toBeUndefined();
  });
});

test.each<{ name: string; change: Partial<DiagnosisOptions>; want: object }>([
  {
    name: 'at level dns no host is dialed',
    change: { level: 'dns' },
    want: { resolver: 'ok', smtp_port: 'skipped', ehlo_name: 'skipped' },
  },
  {
    name: 'at level syntax no server is contacted',
    change: { level: 'syntax', openDns: () => expect.unreachable() },
    want: { resolver: 'skipped', smtp_port: 'skipped', ehlo_name: 'skipped' },
  },
  {
    name: 'without probes the name is compared anyway',
    change: { probes: null, localAddresses: ['203.0.114.9'] },
    want: { resolver: 'ok', smtp_port: 'skipped', ehlo_name: 'ok' },
  },
])('$name', async ({ change, want }) => expect(states(await runDiagnosis(change))).toMatchObject(want));

test('a requested host is dialed at every level, and no other host, even without DNS', async () => {
  const host = await startSmtpHost();
  try {
    const probes = [parseProbe(`127.0.0.1:${host.port}`)];
    const checks = await runDiagnosis({ level: 'dns', probes, dial: directDial }, denyingAll);
    expect(checks['smtp_port']).toMatchObject({ state: 'ok', facts: { probes: [{ outcome: 'greeted' }] } });
    expect(host.connections).toBe(1);
  } finally {
    await host.stop();
  }
});

test('an interruption ends it', async () => {
  const host = await startSmtpHost({ banner: () => null });
  const stop = new AbortController();
  const probes = [parseProbe(`127.0.0.1:${host.port}`)];
  try {
    const looking = runDiagnosis({ probes, dial: directDial, timeoutMs: 60_000, signal: stop.signal });
    await expect.poll(() => host.connections).toBe(1);
    stop.abort();
    await expect(looking).rejects.toThrow(/abort/i);
  } finally {
    await host.stop();
  }
});

test('ending the iterator ends it, too', async () => {
  const host = await startSmtpHost({ banner: () => null });
  const probes = [parseProbe(`127.0.0.1:${host.port}`)];
  try {
    const telling = diagnose(optionsWith({ probes, dial: directDial, timeoutMs: 60_000 }));
    await telling.next();
    await expect.poll(() => host.open).toBe(1);
    await telling.return(undefined);
    await expect.poll(() => host.open).toBe(0);
  } finally {
    await host.stop();
  }
});

test('nothing is left behind', () => expect(existsSync(join(home, 'store.db'))).toBe(false));
