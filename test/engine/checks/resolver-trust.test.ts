import { expect, test } from 'vitest';
import { type Caller, localCallerWith } from '../../../src/async/caller.js';
import { type DistrustReason, resolverTrust, watchResolver } from '../../../src/engine/checks/resolver-trust.js';
import type { DnsAnswer } from '../../../src/net/dns/records.js';
import { HostKnowledge } from '../../../src/net/host-knowledge.js';
import { fakeClock } from '../../fakes/clock.js';
import { fakeDns, found, malformed, nodata, nxdomain, refused, servfail, timeout } from '../../fakes/fake-dns.js';

const isKnownTld = (tld: string) => ['com', 'org', 'ws'].includes(tld);

test.each([
  { name: 'known name servers', ns: found('a.gtld-servers.net'), want: true },
  { name: 'NXDOMAIN', ns: nxdomain, want: false },
  { name: 'no such records', ns: nodata, want: true },
  { name: 'SERVFAIL', ns: servfail, want: true },
  { name: 'REFUSED', ns: refused, want: true },
  { name: 'a timeout', ns: timeout, want: true },
  { name: 'a broken answer', ns: malformed, want: true },
])('a denial is trusted ($want) when .com itself gets $name', async ({ ns, want }) => {
  const trust = resolverTrust({ dns: fakeDns({ 'NS com': ns }), isKnownTld });
  expect(await trust.believesDenial('nosuch.example.com')).toBe(want);
});

test('a denial under an unknown top-level domain is trusted without a test', async () => {
  expect(await resolverTrust({ dns: fakeDns({}), isKnownTld }).believesDenial('a.nosuchtld')).toBe(true);
});

test.each([
  { name: 'a denial', addresses: nxdomain, want: true },
  { name: 'an address', addresses: found('198.51.100.1'), want: false },
  { name: 'a timeout', addresses: timeout, want: true },
])('an address is trusted ($want) when a random name gets $name', async ({ addresses, want }) => {
  const trust = resolverTrust({ dns: fakeDns({ 'A *.org': addresses }), isKnownTld });
  expect(await trust.believesAddress('example.org')).toBe(want);
});

test('under an unknown top-level domain, the random name is in .com', async () => {
  const trust = resolverTrust({ dns: fakeDns({ 'A *.com': found('198.51.100.1') }), isKnownTld });
  expect(await trust.believesAddress('a.nosuchtld')).toBe(false);
});

test('the resolver is tested once for each top-level domain, and distrust is reported once', async () => {
  const reported: DistrustReason[] = [];
  const dns = fakeDns({ 'NS com': nxdomain, 'NS org': nxdomain, 'A *.com': found('198.51.100.1') });
  const trust = resolverTrust({ dns, isKnownTld, onDistrust: (reason) => reported.push(reason) });
  for (const name of ['a.com', 'b.com', 'c.org']) await trust.believesDenial(name);
  for (const name of ['a.com', 'b.com']) await trust.believesAddress(name);
  expect(dns.questions.slice(0, 2)).toEqual(['NS com', 'NS org']);
  expect(dns.questions).toHaveLength(3);
  expect(reported).toEqual(['resolver_denies_everything', 'resolver_invents_answers']);
});

test.each([
  { name: 'a timeout', ns: timeout, want: 1 },
  { name: 'REFUSED, or a closed port', ns: refused, want: 1 },
  { name: 'SERVFAIL', ns: servfail, want: 1 },
  { name: 'name servers', ns: found('a.gtld-servers.net'), want: 0 },
  { name: 'a denial, which is an answer', ns: nxdomain, want: 0 },
])(
  'after a domain got no answer, silence is reported $want times when a name in .com gets $name',
  async ({ ns, want }) => {
    const answers: boolean[] = [];
    const dns = fakeDns({ 'NS *.com': ns });
    const notice = watchResolver(dns, (isSilent) => answers.push(isSilent));
    await Promise.all([notice(), notice()]);
    await notice();
    expect({ answers, asked: dns.questions }).toEqual({
      answers: [want === 1],
      asked: [expect.stringMatching(/^NS \w+\.com$/)],
    });
  },
);

test('a resolver is tested again, with another name, when the last test is old', async () => {
  const answers: boolean[] = [];
  let now = 0;
  let answer: DnsAnswer<string> = nxdomain;
  const asked = new Set<string>();
  const ns = async (name: string): Promise<DnsAnswer<string>> => {
    asked.add(name);
    return answer;
  };
  const notice = watchResolver(
    { ...fakeDns({}), ns },
    (isSilent) => answers.push(isSilent),
    () => now,
  );
  for (const [at, next] of [[0, nxdomain] as const, [9_000, timeout] as const, [10_000, timeout] as const]) {
    [now, answer] = [at, next];
    await notice();
  }
  expect({ answers, names: asked.size }).toEqual({ answers: [false, true], names: 2 });
});

test('a resolver that denied everything is trusted again once it answers', async () => {
  const clock = fakeClock();
  const knowledge = new HostKnowledge(clock);
  let answer: DnsAnswer<string> = nxdomain;
  const trust = resolverTrust({ dns: { ...fakeDns({}), ns: async () => answer }, isKnownTld, knowledge });
  const readTrust = async () => [await trust.believesDenial('a.com'), trust.deniesEverything()];
  expect(await readTrust()).toEqual([false, true]);
  answer = found('a.gtld-servers.net');
  expect(await readTrust()).toEqual([false, true]);
  await clock.advance(10_000);
  expect(await readTrust()).toEqual([true, false]);
});

test('a resolver that becomes bad is trusted for at most ten more minutes', async () => {
  const clock = fakeClock();
  const knowledge = new HostKnowledge(clock);
  let answer: DnsAnswer<string> = found('a.gtld-servers.net');
  const trust = resolverTrust({ dns: { ...fakeDns({}), ns: async () => answer }, isKnownTld, knowledge });
  expect(await trust.believesDenial('a.com')).toBe(true);
  answer = nxdomain;
  await clock.advance(10 * 60_000);
  expect(await trust.believesDenial('a.com')).toBe(false);
});

test('after silence, which is not a denial, the resolver is trusted again', async () => {
  const silent = (_: string, caller?: Caller): Promise<never> =>
    new Promise((_resolve, reject) => {
      caller?.signal?.addEventListener('abort', () => reject(caller.signal?.reason));
    });
  const trust = resolverTrust({ dns: { ...fakeDns({}), ns: silent, addresses: silent }, isKnownTld, timeoutMs: 1 });
  expect([await trust.believesDenial('a.com'), await trust.believesAddress('a.com')]).toEqual([true, true]);
});

test('an exception in the query does not count as silence', async () => {
  const trust = resolverTrust({ dns: fakeDns({}), isKnownTld });
  await expect(trust.believesDenial('a.com')).rejects.toThrow('the table has no answer');
});

test('an abort is thrown', async () => {
  const trust = resolverTrust({ dns: fakeDns({}), isKnownTld });
  await expect(trust.believesDenial('a.com', localCallerWith(AbortSignal.abort()))).rejects.toMatchObject({
    name: 'AbortError',
  });
});
