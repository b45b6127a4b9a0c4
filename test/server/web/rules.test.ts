import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { hashPassword, isPassword, passwordFault } from '../../../src/jobs/admin-password.js';
import type { SessionRecord, SessionStore } from '../../../src/jobs/store/sessions.js';
import type { UsageCount } from '../../../src/jobs/store/usage.js';
import { createEdge, networkOf } from '../../../src/server/access/edge.js';
import { cookieIn, cookieOf, createPasswordCheck, createSessions } from '../../../src/server/access/sessions.js';
import {
  countersFor,
  createSignInThrottle,
  deviceIn,
  makeDeviceToken,
} from '../../../src/server/access/sign-in-throttle.js';
import { openUsage } from '../../../src/server/observe/usage.js';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

const from = (remoteAddress: string, headers: Record<string, string> = {}, encrypted = false) =>
  ({ headers, socket: { remoteAddress, ...(encrypted && { encrypted }) } }) as unknown as IncomingMessage;

describe('the password', () => {
  test('is kept as a hash that costs a fifth of a second to check', async () => {
    const stored = await hashPassword('correct horse battery');
    expect(stored).toMatch(/^scrypt\$65536\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
    expect(await isPassword('correct horse battery', stored)).toBe(true);
    expect(await isPassword('correct horse batterz', stored)).toBe(false);
    expect(await isPassword('', 'plain')).toBe(false);
  });

  test('is the same in any Unicode normalization', async () => {
    const stored = await hashPassword('zwölf Bäume im Hof', { N: 16, r: 1, p: 1 });
    expect(await isPassword('zwölf Bäume im Hof'.normalize('NFD'), stored)).toBe(true);
  });

  test.each([
    ['12345678901', false],
    ['123456789012', true],
    ['x'.repeat(1_001), false],
  ])('%s: %s', (password, isGood) => expect(passwordFault(password) === null).toBe(isGood));

  test('is checked one at a time; a request is refused when too many wait', async () => {
    let open = 0;
    let maxInProgress = 0;
    const { isCorrect } = createPasswordCheck(async () => {
      maxInProgress = Math.max(maxInProgress, ++open);
      await new Promise((resolve) => setImmediate(resolve));
      open--;
      return true;
    });
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => isCorrect('a', 'b')));
    expect(maxInProgress).toBe(1);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(8);
    expect(await isCorrect('a', 'b')).toBe(true);
  });
});

test('a browser that signed in before is checked although guesses fill the queue', async () => {
  const held: (() => void)[] = [];
  const { isCorrect } = createPasswordCheck(() => new Promise((resolve) => held.push(() => resolve(true))));
  const guesses = Array.from({ length: 8 }, () => isCorrect('a', 'b'));
  await expect(isCorrect('a', 'b')).rejects.toMatchObject({ code: 'rate_limited' });
  const known = isCorrect('a', 'b', true);
  let isDone = false;
  const all = Promise.all([...guesses, known]).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    for (const release of held.splice(0)) release();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await all).toHaveLength(9);
});

describe('the throttle', () => {
  const open = () => {
    let now = 0;
    const throttle = createSignInThrottle(() => now);
    const attempt = (network: string, account: string | null = 'admin', device: string | null = null): boolean => {
      try {
        throttle.begin(countersFor({ network, account, device }));
        return true;
      } catch {
        return false;
      }
    };
    return { throttle, attempt, pass: (ms: number) => (now += ms) };
  };

  test('allows ten failures of an address, then requires longer waits, and resets after a success', () => {
    const { throttle, attempt, pass } = open();
    expect(Array.from({ length: 12 }, () => attempt('a'))).toEqual([...new Array(10).fill(true), false, false]);
    expect(attempt('b')).toBe(true);
    pass(minuteMs);
    expect([attempt('a'), attempt('a')]).toEqual([true, false]);
    pass(minuteMs);
    expect(attempt('a')).toBe(false);
    pass(minuteMs);
    expect(attempt('a')).toBe(true);
    throttle.recordSuccess(countersFor({ network: 'a', account: 'admin', device: null }));
    expect(attempt('a')).toBe(true);
  });

  test('a flood from many networks is stopped, but not a browser that signed in before', () => {
    const { attempt } = open();
    expect(Array.from({ length: 1_000 }, (_, n) => attempt(`network ${n}`)).filter(Boolean)).toHaveLength(100);
    expect(attempt('elsewhere')).toBe(false);
    expect(attempt('elsewhere', 'another')).toBe(true);
    expect(attempt('elsewhere', 'admin', 'known')).toBe(true);
    expect(Array.from({ length: 1_000 }, (_, n) => attempt(`network ${n}`, null)).every(Boolean)).toBe(true);
  });

  test('a client that guesses at many accounts is stopped, but not a known browser of the same network', () => {
    const { attempt } = open();
    expect(Array.from({ length: 100 }, (_, n) => attempt('a', `account ${n}`)).filter(Boolean)).toHaveLength(30);
    expect(attempt('a', 'admin', 'known')).toBe(true);
  });

  test('a success removes only its own attempt from a shared counter', () => {
    const { throttle, attempt } = open();
    for (let n = 0; n < 29; n++) attempt('a', `account ${n}`);
    const ownCounters = countersFor({ network: 'a', account: 'mine', device: null });
    for (let n = 0; n < 5; n++) {
      throttle.begin(ownCounters);
      throttle.recordSuccess(ownCounters);
    }
    expect([attempt('a', 'x'), attempt('a', 'y')]).toEqual([true, false]);
  });

  test('a browser that signed in before is counted, too', () => {
    const { attempt } = open();
    expect(Array.from({ length: 11 }, () => attempt('a', 'admin', 'known'))).toEqual([
      ...new Array(10).fill(true),
      false,
    ]);
  });

  test('keeps a bounded number of addresses', () => {
    const { attempt } = open();
    for (let n = 0; n < 10; n++) attempt('first');
    for (let n = 0; n < 10_000; n++) attempt(`other ${n}`, `account ${n}`);
    expect(attempt('first', 'someone')).toBe(true);
  });

  test('guesses at other accounts do not reset the counter of one', () => {
    const { attempt } = open();
    for (let n = 0; n < 100; n++) attempt(`network ${n}`);
    for (let n = 0; n < 11_000; n++) attempt(`other ${n}`, `account ${n}`);
    expect(attempt('elsewhere')).toBe(false);
  });

  test('a device token counts only for its account and password', () => {
    const token = makeDeviceToken('admin', 'hash');
    expect(deviceIn(token, 'admin', 'hash')).toBe(token.slice(0, 22));
    for (const forged of [null, '', token.slice(0, -1), `${'A'.repeat(22)}${token.slice(22)}`, `${token} `])
      expect(deviceIn(forged, 'admin', 'hash')).toBeNull();
    expect(deviceIn(token, 'member', 'hash')).toBeNull();
    expect(deviceIn(token, 'admin', 'new hash')).toBeNull();
  });
});

describe('a member that a proxy names', () => {
  const header = { 'x-email': 'ada@example.org' };
  const edge = createEdge({ trustedProxies: ['10.0.0.0/8'], userHeader: 'X-Email' });
  test.each([
    { name: 'from the proxy', request: from('10.0.0.1', header), want: 'ada@example.org' },
    { name: 'from the proxy without the header', request: from('10.0.0.1'), want: null },
    { name: 'from the proxy with an empty header', request: from('10.0.0.1', { 'x-email': '' }), want: null },
    { name: 'from elsewhere', request: from('203.0.113.7', header), want: null },
    { name: 'from this machine', request: from('127.0.0.1', header), want: null },
  ])('$name', ({ request, want }) => expect(edge.proxyUser(request)).toBe(want));

  test('needs a trusted proxy, and a header that clients do not set', () => {
    expect(createEdge({ trustedProxies: ['10.0.0.0/8'] }).proxyUser(from('10.0.0.1', header))).toBeNull();
    for (const options of [
      { userHeader: 'X-Email' },
      { userHeader: 'Cookie', trustedProxies: ['::1'] },
      { userHeader: 'a b', trustedProxies: ['::1'] },
    ])
      expect(() => createEdge(options)).toThrow(/serve.user_header/);
  });
});

describe('the client', () => {
  const edge = createEdge({ trustedProxies: ['10.0.0.0/8', '::1'] });
  test.each([
    ['203.0.113.7', {}, '203.0.113.7'],
    ['::ffff:203.0.113.7', {}, '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', {}, '2001:db8:1:2::/64'],
    ['2001:db8::1', {}, '2001:db8::/64'],
    ['2001:db8::f:1', {}, '2001:db8::/64'],
    ['203.0.113.7', { 'x-forwarded-for': '198.51.100.1' }, '203.0.113.7'],
    // Not trusted unless configured.
    ['127.0.0.1', { 'x-forwarded-for': '198.51.100.1' }, '127.0.0.1'],
    ['10.0.0.1', { 'x-forwarded-for': 'made up, 198.51.100.1' }, '198.51.100.1'],
    ['::ffff:10.0.0.1', { 'x-forwarded-for': '1.1.1.1, 198.51.100.1, 10.9.9.9' }, '198.51.100.1'],
    ['::1', { 'x-forwarded-for': 'made up' }, '::/64'],
    ['10.0.0.1', { 'x-forwarded-for': '10.0.0.2' }, '10.0.0.1'],
    ['10.0.0.1', { 'x-forwarded-for': '1.1.1.1, 198.51.100.1:4711, 10.0.0.2:80' }, '198.51.100.1'],
    ['10.0.0.1', { 'x-forwarded-for': '[2001:db8:1:2::5]:4711' }, '2001:db8:1:2::/64'],
  ])('%s with %j counts as %s', (peer, headers, want) =>
    expect(networkOf(edge.clientAddress(from(peer, headers)))).toBe(want),
  );

  test.each([
    ['plain', false, from('203.0.113.7')],
    ['TLS', true, from('203.0.113.7', {}, true)],
    ['a trusted proxy', true, from('::1', { 'x-forwarded-proto': 'https' })],
    ['a chain of proxies', false, from('::1', { 'x-forwarded-proto': 'https, http' })],
    ['a forged header from elsewhere', false, from('203.0.113.7', { 'x-forwarded-proto': 'https' })],
    ['a forged header from here', false, from('127.0.0.1', { 'x-forwarded-proto': 'https' })],
  ])('%s is encrypted: %s', (_name, want, request) => expect(edge.isEncrypted(request)).toBe(want));

  test.each([
    { host: 'localhost:8080', open: true, configured: true },
    { host: '127.0.0.1:8080', open: true, configured: true },
    { host: '[::1]:8080', open: true, configured: true },
    { host: '192.168.1.7:8080', open: true, configured: false },
    { host: '[fd00::7]:8080', open: true, configured: false },
    { host: 'vet.example', open: false, configured: true },
    { host: 'VET.example', open: false, configured: true },
    { host: 'vet.example:8443', open: false, configured: false },
    { host: 'vet.example.evil.example', open: false, configured: false },
    { host: 'evil.example', open: false, configured: false },
    { host: 'localhost.evil.example', open: false, configured: false },
    { host: '127.0.0.1.evil.example', open: false, configured: false },
    { host: 'vet.example@evil.example', open: false, configured: false },
    { host: 'evil.example/vet.example', open: false, configured: false },
    { host: '', open: false, configured: false },
  ])('the host $host is refused unless it is our own', ({ host, open, configured }) => {
    const request = from('203.0.113.7', { host });
    expect(createEdge().hostFault(request) === null).toBe(open);
    expect(createEdge({ publicUrls: ['https://vet.example'] }).hostFault(request) === null).toBe(configured);
  });

  // RFC 9112 §3.2.2.
  test('the host of a target in absolute form counts instead of the Host header', () => {
    const { hostFault, isOwnOrigin } = createEdge({ publicUrls: ['https://vet.example'] });
    const to = (url: string, host: string) => Object.assign(from('203.0.113.7', { host }), { url });
    expect(hostFault(to('http://evil.example/app/session', 'vet.example'))).not.toBeNull();
    expect(hostFault(to('http://vet.example@evil.example/', 'vet.example'))).not.toBeNull();
    expect(hostFault(to('HTTP://vet.example?a', 'evil.example'))).toBeNull();
    expect(hostFault(to('/http://evil.example/', 'vet.example'))).toBeNull();
    expect(isOwnOrigin(to('http://evil.example/', 'vet.example'), 'http://vet.example')).toBe(false);
  });

  test.each([
    { host: 'vet.example', origin: 'http://vet.example', want: true },
    { host: 'vet.example:80', origin: 'http://vet.example', want: true },
    { host: 'vet.example', origin: 'https://vet.example', want: false },
    { host: 'vet.example', origin: 'http://vet.example:8080', want: false },
    { host: 'behind.example', origin: 'https://behind.example', want: true },
    { host: 'vet.example', origin: 'https://behind.example', want: false },
    { host: 'vet.example', origin: 'null', want: false },
    { host: '', origin: 'http://', want: false },
  ])('on $host, the origin $origin is our own: $want', ({ host, origin, want }) => {
    const { isOwnOrigin } = createEdge({ publicUrls: ['https://behind.example'] });
    expect(isOwnOrigin(from('203.0.113.7', { host }), origin)).toBe(want);
  });

  test.each(['vet.example', 'ftp://vet.example', 'https://vet.example/app', 'https://a:b@vet.example', ''])(
    'the public URL "%s" is refused',
    (url) => expect(() => createEdge({ publicUrls: [url] })).toThrow(/--public-url/),
  );
});

describe('the cookie', () => {
  test('is bound to the host over TLS', () => {
    expect(cookieOf('session', 'id', 9, false)).toBe('mailvet=id; Path=/; HttpOnly; SameSite=Strict; Max-Age=9');
    expect(cookieOf('session', 'id', 9, true)).toMatch(/^__Host-mailvet=id; .*; Secure$/);
  });

  test('over TLS only the cookie that a sibling domain cannot set counts, and two count as none', () => {
    const cookie = 'mailvet=planted; __Host-mailvet=real; mailvet-device=other';
    expect(cookieIn(from('1.2.3.4', { cookie }), 'session', true)).toBe('real');
    expect(cookieIn(from('1.2.3.4', { cookie }), 'session', false)).toBe('planted');
    expect(cookieIn(from('1.2.3.4', { cookie: 'mailvet=a; mailvet=b' }), 'session', false)).toBeNull();
  });
});

describe('a session', () => {
  const open = () => {
    let now = 1_000_000_000_000;
    const stored = new Map<string, SessionRecord>();
    let touches = 0;
    const store: Partial<SessionStore> = {
      addSession: async (hash, session) => void stored.set(hash, session),
      findSession: async (hash) => stored.get(hash) ?? null,
      listSessions: async () => [...stored].map(([hash, session]) => ({ ...session, hash })),
      touchSession: async (hash, at) => {
        touches++;
        const session = stored.get(hash);
        if (session !== undefined) stored.set(hash, { ...session, lastUsedAt: at });
      },
    };
    const sessions = createSessions(store as SessionStore, () => now);
    return { sessions, stored, touches: () => touches, pass: (ms: number) => (now += ms) };
  };

  test('ends after a week without use', async () => {
    const { sessions, pass } = open();
    const id = await sessions.begin('admin', 'Browser', '');
    pass(7 * dayMs - 1);
    expect(await sessions.find(id)).not.toBeNull();
    pass(7 * dayMs);
    expect(await sessions.find(id)).toBeNull();
  });

  test('ends after thirty days of any use; its use is stored once a minute', async () => {
    const { sessions, pass, touches } = open();
    const id = await sessions.begin('admin', 'Browser', '');
    for (let day = 1; day < 30; day++) {
      pass(dayMs);
      for (let n = 0; n < 3; n++) expect(await sessions.find(id)).not.toBeNull();
    }
    expect(touches()).toBe(29);
    pass(dayMs);
    expect(await sessions.find(id)).toBeNull();
  });

  test('is not listed once it has expired', async () => {
    const { sessions, pass } = open();
    await sessions.begin('admin', 'Old browser', '');
    pass(7 * dayMs);
    await sessions.begin('admin', 'Browser', '');
    expect((await sessions.list('admin')).map(({ userAgent }) => userAgent)).toEqual(['Browser']);
  });

  test('is stored by its hash, with a short, plain browser name', async () => {
    const { sessions, stored } = open();
    const id = await sessions.begin('admin', `Browser\u0007${'é'.repeat(9)}${'x'.repeat(500)}`, '');
    const [[hash, record] = []] = stored;
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(hash).not.toContain(id);
    expect(record?.userAgent).toMatch(/^Browserx{193}$/);
    expect(await sessions.find('something else')).toBeNull();
  });
});

describe('usage', () => {
  test('is counted in memory, written in batches, and assigned to the day of the request', async () => {
    const written: UsageCount[] = [];
    const forgotten: string[] = [];
    let now = Date.parse('2026-11-15T23:59:59Z');
    const store = {
      addUsage: async (counts: readonly UsageCount[]) => void written.push(...counts),
      readUsage: async () => [],
      pruneUsage: async (before: string) => void forgotten.push(before),
    };
    const usage = openUsage(
      store,
      () => {},
      () => now,
    );
    for (let n = 0; n < 1_000; n++) usage.request('k');
    usage.verdict('k', 'valid', '', 'python.org');
    expect(written).toEqual([]);
    now += 2_000;
    usage.verdict('k', 'invalid', 'failed_syntax_check', 'secret stuff');
    await usage.close();
    const [day, next] = ['2026-11-15', '2026-11-16'];
    expect(written).toEqual([
      { day, owner: 'k', kind: 'request', name: '', count: 1_000 },
      { day, owner: 'k', kind: 'verdict', name: 'valid ', count: 1 },
      { day, owner: 'k', kind: 'domain', name: 'python.org', count: 1 },
      { day: next, owner: 'k', kind: 'verdict', name: 'invalid failed_syntax_check', count: 1 },
    ]);
    expect(forgotten).toEqual(['2026-08-17', '2026-08-18']);
  });

  test('keeps and writes a bounded number of a million domains', async () => {
    const written: UsageCount[] = [];
    const store = {
      addUsage: async (counts: readonly UsageCount[]) => void written.push(...counts),
      readUsage: async () => [],
      pruneUsage: async () => {},
    };
    const usage = openUsage(store, () => {});
    for (let n = 0; n < 50_000; n++) usage.verdict('k', 'valid', '', `d${n}.example`);
    await usage.close();
    expect(written.filter(({ kind }) => kind === 'domain').length).toBeLessThanOrEqual(200);
    expect(written.find(({ kind }) => kind === 'verdict')?.count).toBe(50_000);
  });
});
