import { describe, expect, test } from 'vitest';
import { type Caller, localCallerWith } from '../../../src/async/caller.js';
import { checkMailExchange } from '../../../src/engine/checks/mail-exchange.js';
import { resolverTrust } from '../../../src/engine/checks/resolver-trust.js';
import { Networks } from '../../../src/net/ip-range.js';
import {
  type DnsTable,
  fakeDns,
  found,
  foundMx,
  malformed,
  nodata,
  nxdomain,
  refused,
  servfail,
  timeout,
} from '../../fakes/fake-dns.js';

interface Setting {
  table: DnsTable;
  allow?: string[];
  maxUsableHosts?: number;
}

const failed = (reason: string) => ({ state: 'failed', reason });
const unknown = (reason: string) => ({ state: 'unknown', reason });
const lost = (why: string) => unknown(`dns_${why}`);
const route = (...hosts: [string, number, ...string[]][]) => ({
  state: 'passed',
  detail: {
    hosts: hosts.map(([name, preference, ...addresses]) => ({ name, preference, addresses })),
    implicit: false,
  },
});
const implicit = (name: string, ...addresses: string[]) => ({
  state: 'passed',
  detail: { hosts: [{ name, preference: 0, addresses }], implicit: true },
});

/** A resolver that knows `.com` and denies a random name. */
const honest: DnsTable = { 'NS com': found('a.gtld-servers.net'), 'A *.com': nxdomain };

async function check(
  domain: string,
  { table, allow = [], maxUsableHosts }: Setting,
  literal: { family: 4 | 6; ip: string } | null = null,
) {
  const dns = fakeDns(table);
  const trust = resolverTrust({ dns, isKnownTld: (tld) => tld === 'com' });
  const outcome = await checkMailExchange(
    { domain, literal },
    { dns, trust, allowNetworks: new Networks(allow), ...(maxUsableHosts !== undefined && { maxUsableHosts }) },
  );
  return { outcome, questions: dns.questions };
}

const ip = found('8.8.8.8');
const local = found('10.0.0.1');
const [one, two] = [foundMx('10 b.com'), foundMx('10 b.com', '20 c.com')];
const [viaB, viaC] = [route(['b.com', 10, '8.8.8.8']), route(['c.com', 20, '8.8.8.8'])];
const unroutable = failed('unroutable_ip_address');

test.each<[name: string, table: DnsTable, want: unknown, more?: Partial<Setting>]>([
  [
    'hosts are sorted by preference, equal ones as in the answer',
    {
      'MX a.com': foundMx('20 c.com', '10 b.com', '10 a1.com'),
      ...{ 'A b.com': ip, 'A a1.com': found('8.8.4.4', '2001:4860::8'), 'A c.com': found('1.1.1.1') },
    },
    route(['b.com', 10, '8.8.8.8'], ['a1.com', 10, '8.8.4.4', '2001:4860::8'], ['c.com', 20, '1.1.1.1']),
  ],
  ['a host that does not resolve is left out', { 'MX a.com': two, 'A b.com': nxdomain, 'A c.com': ip }, viaC],
  ['a host without an answer is left out', { 'MX a.com': two, 'A b.com': timeout, 'A c.com': ip }, viaC],
  [
    'a missing host and a host without an answer prove nothing',
    { 'MX a.com': two, 'A b.com': nxdomain, 'A c.com': servfail },
    lost('servfail'),
  ],
  ['no answer next to an unroutable host', { 'MX a.com': two, 'A b.com': local, 'A c.com': timeout }, lost('timeout')],
  [
    'hosts that provably do not exist accept no mail, and the domain itself is not dialed (RFC 5321 §5.1)',
    { ...honest, 'MX a.com': two, 'A b.com': nxdomain, 'A c.com': nodata },
    failed('no_dns_entries'),
  ],
  ['a null MX', { 'MX a.com': foundMx('0 .') }, failed('null_mx')],
  ['a null MX next to others is ignored', { 'MX a.com': foundMx('0 .', '10 b.com'), 'A b.com': ip }, viaB],
  ['an IP address is never dialed', { ...honest, 'MX a.com': foundMx('10 8.8.8.8') }, failed('no_dns_entries')],
  [
    'an IP address in place of a host does not hide another',
    { 'MX a.com': foundMx('10 8.8.8.8', '20 b.com'), 'A b.com': found('8.8.4.4') },
    route(['b.com', 20, '8.8.4.4']),
  ],
  ['localhost is not looked up', { ...honest, 'MX a.com': foundMx('10 localhost') }, unroutable],
  [
    'hosts on private addresses only',
    { ...honest, 'MX a.com': two, 'A b.com': found('10.0.0.1', 'fd00::1'), 'A c.com': found('127.0.0.1') },
    unroutable,
  ],
  ['a private address beside a public one', { 'MX a.com': one, 'A b.com': found('10.0.0.1', '8.8.8.8') }, viaB],
  [
    'a private address that the user allows',
    { 'MX a.com': one, 'A b.com': found('10.0.0.1', '192.168.0.1') },
    route(['b.com', 10, '10.0.0.1']),
    { allow: ['10.0.0.0/8'] },
  ],
  [
    'no more hosts are looked up than wanted',
    { 'MX a.com': foundMx('10 b.com', '20 c.com', '30 d.com'), 'A b.com': nxdomain, 'A c.com': ip },
    viaC,
    { maxUsableHosts: 1 },
  ],
  [
    'more missing hosts than the limit prove nothing',
    { 'MX a.com': foundMx(...Array.from({ length: 30 }, (_, i) => `10 mx${i}.b.com`)), 'A *.b.com': nxdomain },
    lost('malformed'),
  ],
])('with MX records: %s', async (_name, table, want, more = {}) => {
  expect((await check('a.com', { table, ...more })).outcome).toEqual(want);
});

describe('without MX records', () => {
  const withSpf = (spf: DnsTable[string]): DnsTable => ({ ...honest, 'TXT a.com': spf });
  const itself = implicit('a.com', '8.8.8.8');
  test.each<[name: string, mx: DnsTable[string], address: DnsTable[string] | null, others: DnsTable, want: unknown]>([
    ['the domain is its own mail server', nodata, ip, withSpf(nodata), itself],
    ['an SPF record that denies all senders proves nothing', nodata, ip, withSpf(found('v=spf1 -all')), itself],
    ['an SPF record that allows some senders proves nothing', nodata, ip, withSpf(found('v=spf1 a -all')), itself],
    ['no answer for SPF proves nothing', nodata, ip, withSpf(timeout), itself],
    ['a private address', nodata, found('192.168.1.1'), withSpf(nodata), failed('unroutable_ip_address')],
    ['no address either', nodata, nodata, honest, failed('no_dns_entries')],
    ['no such domain', nxdomain, nxdomain, honest, failed('no_dns_entries')],
    ['a name that is denied only for MX still has its address', nxdomain, ip, withSpf(nodata), itself],
    ['a denied name without an answer for the address proves nothing', nxdomain, timeout, honest, lost('timeout')],
    ['no answer for the address proves nothing', nodata, timeout, {}, lost('timeout')],
    ['a timeout proves nothing', timeout, null, {}, lost('timeout')],
    ['SERVFAIL proves nothing', servfail, null, {}, lost('servfail')],
    ['REFUSED proves nothing', refused, null, {}, lost('refused')],
    ['a broken answer proves nothing', malformed, null, {}, lost('malformed')],
  ])('%s', async (_name, mx, address, others, want) => {
    const table = { ...others, 'MX a.com': mx, ...(address && { 'A a.com': address }) };
    expect((await check('a.com', { table })).outcome).toEqual(want);
  });
});

describe('a resolver that is not trusted', () => {
  const denying: DnsTable = { 'NS com': nxdomain };
  const inventing: DnsTable = { 'NS com': found('a.gtld-servers.net'), 'A *.com': found('198.51.100.1') };
  const [denies, invents] = [unknown('resolver_denies_everything'), unknown('resolver_invents_answers')];
  const invented = found('198.51.100.1');
  test.each<[name: string, table: DnsTable, want: unknown]>([
    ['denies the domain', { ...denying, 'MX a.com': nxdomain, 'A a.com': nxdomain }, denies],
    ['has no records for the domain', { ...denying, 'MX a.com': nodata, 'A a.com': nodata }, denies],
    ['denies the mail server', { ...denying, 'MX a.com': one, 'A b.com': nxdomain }, denies],
    ['invents a lone address', { ...inventing, 'MX a.com': nodata, 'A a.com': invented }, invents],
    [
      'denies the MX and invents an address',
      { ...inventing, 'MX a.com': nxdomain, 'A a.com': invented },
      failed('no_dns_entries'),
    ],
    [
      'invents a private address for a mail server',
      { ...inventing, 'MX a.com': one, 'A b.com': found('10.0.0.1') },
      invents,
    ],
  ])('%s', async (_name, table, want) => expect((await check('a.com', { table })).outcome).toEqual(want));

  test.each([timeout, servfail, refused, malformed])('is not confirmed if its test gets $why', async (answer) => {
    for (const table of [
      { 'NS com': answer, 'MX a.com': nxdomain, 'A a.com': nxdomain },
      // Only a private address, or one that may be invented.
      { 'A *.com': answer, 'MX a.com': nodata, 'A a.com': found('10.0.0.1') },
      { 'A *.com': answer, 'MX a.com': nxdomain, 'A a.com': invented },
    ])
      expect((await check('a.com', { table })).outcome).toEqual(unknown('resolver_not_confirmed'));
  });

  test('is not tested if nothing depends on it', async () => {
    const { questions } = await check('a.com', {
      table: { 'MX a.com': foundMx('10 b.com'), 'A b.com': found('8.8.8.8') },
    });
    expect(questions).toEqual(['MX a.com', 'A b.com']);
  });
});

test.each([
  { domain: '[8.8.8.8]', ip: '8.8.8.8', allow: [], want: implicit('[8.8.8.8]', '8.8.8.8') },
  { domain: '[127.0.0.1]', ip: '127.0.0.1', allow: [], want: failed('unroutable_ip_address') },
  { domain: '[127.0.0.1]', ip: '127.0.0.1', allow: ['127.0.0.0/8'], want: implicit('[127.0.0.1]', '127.0.0.1') },
  { domain: '[IPv6:fd00::1]', ip: 'fd00::1', allow: [], want: failed('unroutable_ip_address') },
])('an address literal: $domain, allowed $allow, sends no query', async ({ domain, ip, allow, want }) => {
  const { outcome, questions } = await check(domain, { table: {}, allow }, { family: 4, ip });
  expect(outcome).toEqual(want);
  expect(questions).toEqual([]);
});

test('of two resolvers, the one that denied the name is tested', async () => {
  const table = fakeDns({});
  const dns = {
    ...table,
    mx: async () => ({ ...nxdomain, by: 1 }),
    addresses: async () => ({ ...nxdomain, by: 0 }),
    ns: async (_: string, __?: Caller, by?: number) => (by === 1 ? nxdomain : found('a.gtld-servers.net')),
  };
  const trust = resolverTrust({ dns, isKnownTld: () => true });
  const outcome = await checkMailExchange(
    { domain: 'a.com', literal: null },
    { dns, trust, allowNetworks: new Networks([]) },
  );
  expect(outcome).toEqual(unknown('resolver_denies_everything'));
});

test('an unanswered test of the resolver is reported, as any unanswered query', async () => {
  const dns = fakeDns({ 'NS com': timeout, 'MX a.com': nxdomain, 'A a.com': nxdomain });
  const trust = resolverTrust({ dns, isKnownTld: () => true });
  let reports = 0;
  const onUnanswered = async () => void reports++;
  const context = { dns, trust, allowNetworks: new Networks([]), onUnanswered };
  await checkMailExchange({ domain: 'a.com', literal: null }, context);
  expect(reports).toBe(1);
});

test('an abort is thrown, not judged', async () => {
  const dns = fakeDns({});
  const trust = resolverTrust({ dns, isKnownTld: () => true });
  const asked = checkMailExchange(
    { domain: 'a.com', literal: null },
    { dns, trust, allowNetworks: new Networks([]) },
    localCallerWith(AbortSignal.abort()),
  );
  await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
});

test('an abort between two queries is thrown, too', async () => {
  const stop = new AbortController();
  const table = fakeDns({ 'MX a.com': nodata, 'A a.com': found('192.0.2.1'), 'A *.com': nxdomain });
  const dns = {
    ...table,
    mx: async (name: string) => {
      const answer = await table.mx(name);
      stop.abort();
      return answer;
    },
  };
  const trust = resolverTrust({ dns, isKnownTld: () => true });
  const context = { dns, trust, allowNetworks: new Networks([]) };
  const caller = localCallerWith(stop.signal);
  await expect(checkMailExchange({ domain: 'a.com', literal: null }, context, caller)).rejects.toMatchObject({
    name: 'AbortError',
  });
});
