import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { hashPassword, isPassword, passwordFault } from '../../../src/jobs/admin-password.js';
import type { SessionRecord, SessionStore } from '../../../src/jobs/store/sessions.js';
import type { UsageCount } from '../../../src/jobs/store/usage.js';
import { openUsage } from '../../../src/server/observe/usage.js';
import {
  addressOf,
  createPasswordCheck,
  createSessions,
  createSignInThrottle,
  sessionCookie,
  sessionIdIn,
} from '../../../src/server/web/sessions.js';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

const from = (remoteAddress: string, headers: Record<string, string> = {}, encrypted = false) =>
  ({ headers, socket: { remoteAddress, ...(encrypted && { encrypted }) } }) as unknown as IncomingMessage;

describe('the password', () => {
  test('is kept as a hash that only it opens, with the cost of a fifth of a second', async () => {
    const stored = await hashPassword('correct horse battery');
    expect(stored).toMatch(/^scrypt\$65536\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
    expect(await isPassword('correct horse battery', stored)).toBe(true);
    expect(await isPassword('correct horse batterz', stored)).toBe(false);
    expect(await isPassword('', 'plain')).toBe(false);
  });

  test('is the same however a keyboard spells its letters', async () => {
    const stored = await hashPassword('zwölf Bäume im Hof', { N: 16, r: 1, p: 1 });
    expect(await isPassword('zwölf Bäume im Hof'.normalize('NFD'), stored)).toBe(true);
  });

  test.each([
    ['123456789', false],
    ['1234567890', true],
    ['x'.repeat(1_001), false],
  ])('%s: %s', (password, isGood) => expect(passwordFault(password) === null).toBe(isGood));

  test('is checked one at a time; a request is refused when too many wait', async () => {
    let open = 0;
    let most = 0;
    const { isCorrect } = createPasswordCheck(async () => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setImmediate(resolve));
      open--;
      return true;
    });
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => isCorrect('a', 'b')));
    expect(most).toBe(1);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(8);
    expect(await isCorrect('a', 'b')).toBe(true);
  });
});

describe('the throttle', () => {
  test('lets an address fail ten times, then wait longer each time, and forgets it when it succeeds', () => {
    let now = 0;
    const throttle = createSignInThrottle(() => now);
    const attempt = (address: string): boolean => {
      try {
        throttle.begin(address);
        return true;
      } catch {
        return false;
      }
    };
    expect(Array.from({ length: 12 }, () => attempt('a'))).toEqual([...new Array(10).fill(true), false, false]);
    expect(attempt('b')).toBe(true);
    now += minuteMs;
    expect([attempt('a'), attempt('a')]).toEqual([true, false]);
    now += minuteMs;
    expect(attempt('a')).toBe(false);
    now += minuteMs;
    expect(attempt('a')).toBe(true);
    throttle.recordSuccess('a');
    expect(attempt('a')).toBe(true);
  });

  test('keeps a bounded number of addresses', () => {
    const throttle = createSignInThrottle(() => 0);
    for (let n = 0; n < 10; n++) throttle.begin('first');
    for (let n = 0; n < 10_000; n++) throttle.begin(`other ${n}`);
    expect(() => throttle.begin('first')).not.toThrow();
  });

  test.each([
    ['203.0.113.7', {}, '203.0.113.7'],
    ['::ffff:203.0.113.7', {}, '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', {}, '2001:db8:1:2'],
    ['203.0.113.7', { 'x-forwarded-for': '198.51.100.1' }, '203.0.113.7'],
    ['127.0.0.1', { 'x-forwarded-for': 'made up, 198.51.100.1' }, '198.51.100.1'],
  ])('%s with %j counts as %s', (peer, headers, want) => expect(addressOf(from(peer, headers))).toBe(want));
});

describe('the cookie', () => {
  test.each([
    {
      name: 'plain',
      request: from('203.0.113.7'),
      want: /^mailvet=id; Path=\/; HttpOnly; SameSite=Strict; Max-Age=9$/,
    },
    { name: 'TLS', request: from('203.0.113.7', {}, true), want: /^__Host-mailvet=id; .*; Secure$/ },
    {
      name: 'a proxy here',
      request: from('::1', { 'x-forwarded-proto': 'https' }),
      want: /^__Host-mailvet=id; .*; Secure$/,
    },
    { name: 'a liar elsewhere', request: from('203.0.113.7', { 'x-forwarded-proto': 'https' }), want: /^mailvet=id; / },
  ])('$name', ({ request, want }) => expect(sessionCookie(request, 'id', 9)).toMatch(want));

  test('over TLS only the one that no neighbour can plant counts, and two are none', () => {
    const cookie = 'mailvet=planted; __Host-mailvet=real';
    expect(sessionIdIn(from('1.2.3.4', { cookie }, true))).toBe('real');
    expect(sessionIdIn(from('1.2.3.4', { cookie }))).toBe('planted');
    expect(sessionIdIn(from('1.2.3.4', { cookie: 'mailvet=a; mailvet=b' }))).toBeNull();
  });
});

describe('a session', () => {
  const open = () => {
    let now = 1_000_000_000_000;
    const kept = new Map<string, SessionRecord>();
    let touches = 0;
    const store: Partial<SessionStore> = {
      addSession: async (hash, session) => void kept.set(hash, session),
      findSession: async (hash) => kept.get(hash) ?? null,
      touchSession: async (hash, at) => {
        touches++;
        const session = kept.get(hash);
        if (session !== undefined) kept.set(hash, { ...session, lastUsedAt: at });
      },
    };
    const sessions = createSessions(store as SessionStore, () => now);
    return { sessions, kept, touches: () => touches, pass: (ms: number) => (now += ms) };
  };

  test('ends after a week without use', async () => {
    const { sessions, pass } = open();
    const id = await sessions.begin('admin', 'Browser');
    pass(7 * dayMs - 1);
    expect(await sessions.find(id)).not.toBeNull();
    pass(7 * dayMs);
    expect(await sessions.find(id)).toBeNull();
  });

  test('ends after thirty days however much it is used, which is written down once a minute', async () => {
    const { sessions, pass, touches } = open();
    const id = await sessions.begin('admin', 'Browser');
    for (let day = 1; day < 30; day++) {
      pass(dayMs);
      for (let n = 0; n < 3; n++) expect(await sessions.find(id)).not.toBeNull();
    }
    expect(touches()).toBe(29);
    pass(dayMs);
    expect(await sessions.find(id)).toBeNull();
  });

  test('is kept by its hash, with a browser name that is short and plain', async () => {
    const { sessions, kept } = open();
    const id = await sessions.begin('admin', `Browser\u0007${'é'.repeat(9)}${'x'.repeat(500)}`);
    const [[hash, record] = []] = kept;
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(hash).not.toContain(id);
    expect(record?.userAgent).toMatch(/^Browserx{193}$/);
    expect(await sessions.find('something else')).toBeNull();
  });
});

describe('usage', () => {
  test('is counted in memory, written together, and belongs to the day on which it happened', async () => {
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

  test('of a million domains it keeps and writes a bounded number', async () => {
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
