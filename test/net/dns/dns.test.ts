import { describe, expect, test, vi } from 'vitest';
import { dnsLab } from '../../fakes/dns-lab.js';
import { a, aaaa, cname, mx, soa } from '../../fakes/dns-records.js';
import { type ServerReply, startDnsServer } from '../../fakes/dns-server.js';
import { found, malformed, nodata, nxdomain, refused, servfail, timeout } from '../../fakes/fake-dns.js';

const { server, resolver } = dnsLab();
const oneMx = { state: 'found', records: [{ preference: 10, exchange: 'mx.example' }] };
const manyMx = Array.from({ length: 200 }, (_, i) => mx(`mx${i}.a-rather-long-name.example`, i));

const bareHeader = (flags: number, answers = 0): ServerReply => ({
  bytes: (query) => Buffer.from([...query.subarray(0, 2), 0x81, flags, 0, 0, 0, answers, 0, 0, 0, 0]),
});

describe('an answer', () => {
  test.each<[name: string, reply: ServerReply, want: unknown]>([
    ['records', { answers: [mx('mx.example')] }, oneMx],
    ['returns names in lower case', { answers: [mx('MX.Example')] }, oneMx],
    ['a name in another letter case is accepted', { answers: [mx('mx.example', 10, 'A.EXAMPLE')] }, oneMx],
    ['a null MX has an empty exchange', { answers: [mx('.', 0)] }, found({ preference: 0, exchange: '' })],
    ['NXDOMAIN is absent', { code: 'NXDOMAIN', authorities: [soa()] }, nxdomain],
    ['an empty answer is absent', { authorities: [soa()] }, nodata],
    ['an empty answer without SOA is absent', {}, nodata],
    ['SERVFAIL is not an answer', { code: 'SERVFAIL' }, servfail],
    ['REFUSED is not an answer', { code: 'REFUSED' }, refused],
    ['NOTAUTH is not an answer', { code: 'NOTAUTH' }, refused],
    ['FORMERR is not an answer', { code: 'FORMERR' }, malformed],
    ['garbage is not an answer', 'garbage', malformed],
    ['a bare header is not an answer', bareHeader(0x80, 1), timeout],
    ['a denial without the question is not believed (RFC 5452 §9.1)', bareHeader(0x83), timeout],
    ['a bare header with FORMERR is an answer', bareHeader(0x81), malformed],
    [
      'an MX too short for a name is not an answer',
      { answers: [{ type: 'UNKNOWN_15' as 'A', name: 'a.example', data: Buffer.from([0, 1]) as unknown as string }] },
      malformed,
    ],
    [
      'a referral is not a denial',
      { authorities: [{ type: 'NS', name: 'example', ttl: 60, data: 'ns.example' }] },
      refused,
    ],
    [
      'an alias in the answer is followed',
      { answers: [cname('a.example', 'b.example'), mx('mx.example', 10, 'b.example')] },
      oneMx,
    ],
    [
      'an alias to a name without records is absent',
      { answers: [cname('a.example', 'b.example')], authorities: [soa()] },
      nodata,
    ],
    [
      'an alias to a name that is denied is absent',
      { code: 'NXDOMAIN', answers: [cname('a.example', 'b.example')], authorities: [soa()] },
      nxdomain,
    ],
    [
      'records of a name that is denied contradict the denial',
      { code: 'NXDOMAIN', answers: [mx('mx.example')], authorities: [soa()] },
      malformed,
    ],
    [
      'records of other names are ignored, and are not a denial',
      { answers: [mx('evil.example', 1, 'b.example')] },
      { state: 'failed', why: 'malformed' },
    ],
    [
      'odd bytes in a name are escaped',
      { answers: [mx('a\u0007b.example')] },
      found({ preference: 10, exchange: 'a\\007b.example' }),
    ],
  ])('%s', async (_name, reply, want) => {
    const dns = resolver([await server(() => reply)]);
    expect(await dns.mx('a.example')).toEqual(want);
  });

  test('a truncated answer is requested again over TCP', async () => {
    const upstream = await server(({ via }) => (via === 'udp' ? 'truncated' : { answers: manyMx }));
    const answer = await resolver([upstream]).mx('a.example');
    expect(answer.state === 'found' && answer.records).toHaveLength(64);
    expect(upstream.questions).toEqual(['MX a.example udp', 'MX a.example tcp']);
  });

  test.each<{ name: string; tcp: ServerReply; want: unknown }>([
    { name: 'a silent server is a timeout', tcp: 'silence', want: timeout },
    { name: 'a disconnect is not an answer', tcp: 'hang_up', want: timeout },
    { name: 'an answer that is truncated again is malformed', tcp: 'truncated', want: malformed },
  ])('TCP: $name', async ({ tcp, want }) => {
    const upstream = await server(({ via }) => (via === 'udp' ? 'truncated' : tcp));
    expect(await resolver([upstream], { timeoutMs: 200 }).mx('a.example')).toEqual(want);
  });

  test('silence is a timeout after one retry', async () => {
    const upstream = await server(() => 'silence');
    expect(await resolver([upstream], { timeoutMs: 120 }).mx('a.example')).toEqual(timeout);
    expect(upstream.questions).toEqual(['MX a.example udp', 'MX a.example udp']);
  });

  test('a packet that was lost is sent again', async () => {
    const upstream = await server(({ asked }) => (asked === 0 ? 'silence' : { answers: [mx('mx.example')] }));
    expect(await resolver([upstream], { timeoutMs: 400 }).mx('a.example')).toEqual(oneMx);
  });

  test('time during which the program was suspended does not count', async () => {
    const stopped = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
    const upstream = await server(({ asked }) => {
      if (asked === 0) stopped();
      return asked === 0 ? 'silence' : { answers: [mx('mx.example')] };
    });
    expect(await resolver([upstream], { timeoutMs: 400 }).mx('a.example')).toEqual(oneMx);
  });

  test.each<{ name: string; forged: ServerReply }>([
    { name: 'another id', forged: { id: 1, answers: [mx('evil.example')] } },
    { name: 'another question', forged: { question: 'b.example', answers: [mx('evil.example', 1, 'b.example')] } },
    { name: 'a question instead of a reply', forged: { bytes: (query) => query } },
    { name: 'a single byte', forged: { bytes: () => Buffer.from([1]) } },
  ])('a reply with $name is ignored', async ({ forged }) => {
    const upstream = await server(({ asked }) => (asked === 0 ? forged : { answers: [mx('mx.example')] }));
    expect(await resolver([upstream], { timeoutMs: 400 }).mx('a.example')).toEqual(oneMx);
  });

  test('a server that does not support EDNS is asked without it', async () => {
    const upstream = await server(({ edns }) => (edns ? { code: 'FORMERR' } : { answers: [mx('mx.example')] }));
    const dns = resolver([upstream]);
    expect(await dns.mx('a.example')).toEqual(oneMx);
    await dns.mx('b.example');
    expect(upstream.questions).toEqual(['MX a.example udp', 'MX a.example udp', 'MX b.example udp']);
  });

  test('EDNS is tried again ten minutes after it was refused', async () => {
    const upstream = await server(({ edns }) => (edns ? { code: 'FORMERR' } : { answers: [mx('mx.example')] }));
    const dns = resolver([upstream]);
    await dns.mx('a.example');
    const now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now + 10 * 60_000);
    try {
      await dns.mx('b.example');
    } finally {
      clock.mockRestore();
    }
    expect(upstream.questions.filter((question) => question.includes('b.example'))).toHaveLength(2);
  });

  test('an alias that the server does not resolve is followed', async () => {
    const upstream = await server(({ name }) =>
      name === 'a.example' ? { answers: [cname(name, 'b.example')] } : { answers: [mx('mx.example', 10, name)] },
    );
    expect(await resolver([upstream]).mx('a.example')).toEqual(oneMx);
    expect(upstream.questions).toEqual(['MX a.example udp', 'MX b.example udp']);
  });

  test('a loop of aliases is malformed, and resolution ends', async () => {
    const upstream = await server(({ name }) => ({
      answers: [cname(name, name === 'a.example' ? 'b.example' : 'a.example')],
    }));
    expect(await resolver([upstream]).mx('a.example')).toEqual(malformed);
    expect(upstream.questions).toHaveLength(9);
  });

  test('a loop of aliases in one answer is malformed, not an absence', async () => {
    const upstream = await server(() => ({
      answers: [cname('a.example', 'b.example'), cname('b.example', 'a.example')],
    }));
    expect(await resolver([upstream]).mx('a.example')).toEqual(malformed);
  });

  test('a closed port is reported at once', async () => {
    const stoppedServer = await startDnsServer(() => 'silence');
    await stoppedServer.close();
    const dns = resolver([stoppedServer], { timeoutMs: 600_000 });
    const names = Array.from({ length: 50 }, (_, index) => `${index}.example`);
    expect(await Promise.all(names.map((name) => dns.mx(name)))).toEqual(names.map(() => refused));
  });

  test('a name that DNS cannot encode is never queried', async () => {
    const upstream = await server(() => ({}));
    const dns = resolver([upstream]);
    for (const name of [
      '',
      `${'a'.repeat(64)}.example`,
      'a..example',
      'bücher.example',
      'a b.example',
      `${'a.'.repeat(130)}example`,
    ]) {
      expect(await dns.mx(name)).toEqual(malformed);
    }
    expect(upstream.questions).toEqual([]);
  });
});

describe('names', () => {
  test.each([
    ['Example.COM', 'example.com'],
    ['example.com.', 'example.com'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ])('%s is queried as %s', async (given, asked) => {
    const upstream = await server(() => ({}));
    await resolver([upstream]).mx(given);
    expect(upstream.questions).toEqual([`MX ${asked} udp`]);
  });

  test('text records are joined', async () => {
    const upstream = await server(() => ({
      answers: [{ type: 'TXT', name: 'a.example', ttl: 60, data: ['v=spf1 ', 'include:b.example', ' -all'] }],
    }));
    expect(await resolver([upstream]).txt('a.example')).toEqual(found('v=spf1 include:b.example -all'));
  });

  test.each([
    { ip: '192.0.2.7', name: '7.2.0.192.in-addr.arpa' },
    { ip: '2001:db8::1', name: '1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa' },
  ])('the names of $ip are found', async ({ ip, name }) => {
    const upstream = await server(() => ({ answers: [{ type: 'PTR', name, ttl: 60, data: 'host.example' }] }));
    expect(await resolver([upstream]).reverse(ip)).toEqual(found('host.example'));
    expect(upstream.questions).toEqual([`PTR ${name} udp`]);
  });

  test('text that is not an IP address has no names', async () => {
    const dns = resolver([await server(() => ({}))]);
    expect(await dns.reverse('example.com')).toEqual(malformed);
  });
});

describe('addresses', () => {
  const empty = { authorities: [soa()] };
  const denied: ServerReply = { code: 'NXDOMAIN' };
  const broken: ServerReply = { code: 'SERVFAIL' };
  test.each<[name: string, v4: ServerReply, v6: ServerReply, want: unknown]>([
    ['both', { answers: [a('8.8.8.8')] }, { answers: [aaaa('2001:4860::8')] }, found('8.8.8.8', '2001:4860::8')],
    ['IPv4 only', { answers: [a('8.8.8.8')] }, empty, found('8.8.8.8')],
    ['IPv6 only', empty, { answers: [aaaa('2001:4860::8')] }, found('2001:4860::8')],
    ['found and broken make found', { answers: [a('8.8.8.8')] }, broken, found('8.8.8.8')],
    ['broken and found make found', broken, { answers: [aaaa('2001:4860::8')] }, found('2001:4860::8')],
    ['absent and broken make broken', empty, broken, servfail],
    ['broken and absent make broken', broken, empty, servfail],
    ['absent in both families is absent', empty, empty, nodata],
    ['a denial of the name', denied, denied, nxdomain],
    ['silence for IPv6 does not delay IPv4', { answers: [a('8.8.8.8')] }, 'silence', found('8.8.8.8')],
  ])('%s', async (_name, v4, v6, want) => {
    const dns = resolver([await server(({ type }) => (type === 'A' ? v4 : v6))], { timeoutMs: 20_000 });
    expect(await dns.addresses('a.example')).toEqual(want);
  });
});

describe('several resolvers', () => {
  test.each<[name: string, first: ServerReply, second: ServerReply, want: unknown, asked: number]>([
    ['the second is asked after SERVFAIL', { code: 'SERVFAIL' }, { answers: [mx('mx.example')] }, oneMx, 1],
    ['the second is asked after REFUSED', { code: 'REFUSED' }, { answers: [mx('mx.example')] }, oneMx, 1],
    ['the second is asked after garbage', 'garbage', { answers: [mx('mx.example')] }, oneMx, 1],
    ['the second is asked after silence', 'silence', { answers: [mx('mx.example')] }, oneMx, 1],
    [
      'the second is not asked after a denial',
      { code: 'NXDOMAIN' },
      { answers: [mx('mx.example')] },
      { ...nxdomain, by: 0 },
      0,
    ],
    ['silence does not hide a failure', { code: 'SERVFAIL' }, 'silence', servfail, 2],
  ])('%s', async (_name, first, second, want, asked) => {
    const spare = await server(() => second);
    const dns = resolver([await server(() => first), spare], { timeoutMs: 400 });
    expect(await dns.mx('a.example')).toEqual(want);
    expect(spare.questions).toHaveLength(asked);
  });

  test('a denial names its resolver, which can be asked alone', async () => {
    const first = await server(() => ({ code: 'REFUSED' }));
    const second = await server(() => ({ code: 'NXDOMAIN' }));
    const dns = resolver([first, second]);
    expect(await dns.mx('a.example')).toEqual({ ...nxdomain, by: 1 });
    expect(await dns.ns('com', undefined, 0)).toEqual(refused);
    expect(await dns.ns('com', undefined, 1)).toEqual(nxdomain);
    expect(second.questions).toEqual(['MX a.example udp', 'NS com udp']);
  });

  test('a resolver that stays silent is asked last for a while', async () => {
    let now = 0;
    const silent = await server(() => 'silence');
    const spare = await server(({ name }) => ({ answers: [mx('mx.example', 10, name)] }));
    const dns = resolver([silent, spare], { timeoutMs: 500, now: () => now });
    for (const name of ['a', 'b', 'c', 'd']) expect(await dns.mx(`${name}.example`)).toEqual(oneMx);
    expect(silent.questions.some((line) => line.includes('d.example'))).toBe(false);
    now += 31_000;
    await dns.mx('e.example');
    expect(silent.questions.some((line) => line.includes('e.example'))).toBe(true);
  });
});
