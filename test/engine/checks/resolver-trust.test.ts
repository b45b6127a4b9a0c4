import { describe, expect, test } from 'vitest';
import { localCallerWith } from '../../../src/async/caller.js';
import { type DistrustReason, resolverTrust, watchResolver } from '../../../src/engine/checks/resolver-trust.js';
import type { DnsAnswer } from '../../../src/net/dns/records.js';
import { HostKnowledge } from '../../../src/net/host-knowledge.js';
import { fakeClock } from '../../fakes/clock.js';
import { fakeDns, found, malformed, nodata, nxdomain, refused, servfail, timeout } from '../../fakes/fake-dns.js';

const isKnownTld = (tld: string) => ['com', 'org', 'ws'].includes(tld);

const denies = 'resolver_denies_everything';
const invents = 'resolver_invents_answers';
const unconfirmed = 'resolver_not_confirmed';

test.each([
  { name: 'known name servers', ns: found('a.gtld-servers.net'), want: null },
  { name: 'NXDOMAIN', ns: nxdomain, want: denies },
  { name: 'no such records', ns: nodata, want: denies },
  { name: 'SERVFAIL', ns: servfail, want: unconfirmed },
  { name: 'REFUSED', ns: refused, want: unconfirmed },
  { name: 'a timeout', ns: timeout, want: unconfirmed },
  { name: 'a broken answer', ns: malformed, want: unconfirmed },
])('the doubt of a denial is $want when .com itself gets $name', async ({ ns, want }) => {
  const trust = resolverTrust({ dns: fakeDns({ 'NS com': ns }), isKnownTld });
  expect(await trust.doubtDenial('nosuch.example.com')).toBe(want);
});

describe.each(['left', 'nosuchtld'])('under .%s, which the resolver denies too', (tld) => {
  test.each([
    { name: 'known name servers', ns: found('a.gtld-servers.net'), want: null },
    { name: 'NXDOMAIN', ns: nxdomain, want: denies },
    { name: 'a timeout', ns: timeout, want: unconfirmed },
  ])('the doubt of a denial is $want when .com gets $name', async ({ ns, want }) => {
    const dns = fakeDns({ [`NS ${tld}`]: nxdomain, 'NS com': ns });
    const trust = resolverTrust({ dns, isKnownTld: (name) => name !== 'nosuchtld' });
    expect(await trust.doubtDenial(`a.${tld}`)).toBe(want);
  });
});

test('a denial under an unlisted top-level domain is trusted if the resolver knows its name servers', async () => {
  const trust = resolverTrust({ dns: fakeDns({ 'NS newtld': found('a.nic.newtld') }), isKnownTld });
  expect(await trust.doubtDenial('a.newtld')).toBe(null);
});

test.each([
  { name: 'a denial', addresses: nxdomain, want: null },
  { name: 'an address', addresses: found('198.51.100.1'), want: invents },
  { name: 'a timeout', addresses: timeout, want: unconfirmed },
])('the doubt of an address is $want when a random name gets $name', async ({ addresses, want }) => {
  const trust = resolverTrust({ dns: fakeDns({ 'A *.org': addresses }), isKnownTld });
  expect(await trust.doubtAddress('example.org')).toBe(want);
});

test('under an unknown top-level domain, the random name is in .com', async () => {
  const trust = resolverTrust({ dns: fakeDns({ 'A *.com': found('198.51.100.1') }), isKnownTld });
  expect(await trust.doubtAddress('a.nosuchtld')).toBe(invents);
});

test('the resolver is tested once for each top-level domain, and distrust is reported once', async () => {
  const reported: DistrustReason[] = [];
  const dns = fakeDns({ 'NS com': nxdomain, 'NS org': nxdomain, 'A *.com': found('198.51.100.1') });
  const trust = resolverTrust({ dns, isKnownTld, onDistrust: (reason) => reported.push(reason) });
  for (const name of ['a.com', 'b.com', 'c.org']) await trust.doubtDenial(name);
  for (const name of ['a.com', 'b.com']) await trust.doubtAddress(name);
  expect(dns.questions.slice(0, 2)).toEqual(['NS com', 'NS org']);
  expect(dns.questions).toHaveLength(3);
  expect(reported).toEqual([denies, invents]);
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
  const readTrust = async () => [await trust.doubtDenial('a.com'), trust.deniesEverything()];
  expect(await readTrust()).toEqual([denies, true]);
  answer = found('a.gtld-servers.net');
  expect(await readTrust()).toEqual([denies, true]);
  await clock.advance(10_000);
  expect(await readTrust()).toEqual([null, false]);
});

test('a resolver that becomes bad is trusted for at most ten more minutes', async () => {
  const clock = fakeClock();
  const knowledge = new HostKnowledge(clock);
  let answer: DnsAnswer<string> = found('a.gtld-servers.net');
  const trust = resolverTrust({ dns: { ...fakeDns({}), ns: async () => answer }, isKnownTld, knowledge });
  expect(await trust.doubtDenial('a.com')).toBe(null);
  answer = nxdomain;
  await clock.advance(10 * 60_000);
  expect(await trust.doubtDenial('a.com')).toBe(denies);
});

test('a lost test is not remembered as trust: ten seconds later, a resolver that denies everything is detected', async () => {
  const clock = fakeClock();
  let answer: DnsAnswer<string> = timeout;
  const dns = { ns: async () => answer, addresses: async () => answer };
  const trust = resolverTrust({ dns, isKnownTld, knowledge: new HostKnowledge(clock) });
  const readTrust = async () => [await trust.doubtDenial('a.com'), await trust.doubtAddress('a.com')];
  expect(await readTrust()).toEqual([unconfirmed, unconfirmed]);
  answer = nxdomain;
  await clock.advance(10_000);
  expect(await readTrust()).toEqual([denies, null]);
});

test('an exception in the query does not count as silence', async () => {
  const trust = resolverTrust({ dns: fakeDns({}), isKnownTld });
  await expect(trust.doubtDenial('a.com')).rejects.toThrow('the table has no answer');
});

test('an abort is thrown, also during the test, which other callers wait for', async () => {
  const answers: ((answer: DnsAnswer<string>) => void)[] = [];
  const ns = () => new Promise<DnsAnswer<string>>((resolve) => answers.push(resolve));
  const trust = resolverTrust({ dns: { ...fakeDns({}), ns }, isKnownTld });
  const aborted = { name: 'AbortError' };
  await expect(trust.doubtDenial('a.com', localCallerWith(AbortSignal.abort()))).rejects.toMatchObject(aborted);
  const stop = new AbortController();
  const first = trust.doubtDenial('a.com', localCallerWith(stop.signal));
  const second = trust.doubtDenial('b.com');
  stop.abort();
  await expect(first).rejects.toMatchObject(aborted);
  answers[0]?.(found('a.gtld-servers.net'));
  expect([await second, answers.length]).toEqual([null, 1]);
});
