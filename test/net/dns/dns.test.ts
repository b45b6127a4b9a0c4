import { describe, expect, test, vi } from 'vitest';
import { dnsLab } from '../../fakes/dns-lab.js';
import { a, aaaa, cname, mx, soa } from '../../fakes/dns-records.js';
import { type ServerReply, startDnsServer } from '../../fakes/dns-server.js';
import { found, malformed, nodata, nxdomain, refused, servfail, timeout } from '../../fakes/fake-dns.js';

const { server, resolver } = dnsLab();
const oneMx = { state: 'found', records: [{ preference: 10, exchange: 'mx.example' }] };
const manyMx = Array.from({ length: 200 }, (_, i) => mx(`mx${i}.a-rather-long-name.example`, i));

describe('an answer', () => {
  test.each<{ name: string; reply: ServerReply; want: unknown }>([
    { name: 'records', reply: { answers: [mx('mx.example')] }, want: oneMx },
    { name: 'returns names in lower case', reply: { answers: [mx('MX.Example')] }, want: oneMx },
    {
      name: 'a name in another letter case is accepted',
      reply: { answers: [mx('mx.example', 10, 'A.EXAMPLE')] },
      want: oneMx,
    },
    {
      name: 'a null MX has an empty exchange',
      reply: { answers: [mx('.', 0)] },
      want: found({ preference: 0, exchange: '' }),
    },
    { name: 'NXDOMAIN is absent', reply: { code: 'NXDOMAIN', authorities: [soa()] }, want: nxdomain },
    { name: 'an empty answer is absent', reply: { authorities: [soa()] }, want: nodata },
    { name: 'an empty answer without SOA is absent', reply: {}, want: nodata },
    { name: 'SERVFAIL is not an answer', reply: { code: 'SERVFAIL' }, want: servfail },
    { name: 'REFUSED is not an answer', reply: { code: 'REFUSED' }, want: refused },
    { name: 'NOTAUTH is not an answer', reply: { code: 'NOTAUTH' }, want: refused },
    { name: 'FORMERR is not an answer', reply: { code: 'FORMERR' }, want: malformed },
    { name: 'garbage is not an answer', reply: 'garbage', want: malformed },
    {
      name: 'a bare header is not an answer',
      reply: {
        bytes: (query) => Buffer.concat([query.subarray(0, 2), Buffer.from([0x81, 0x80, 0, 0, 0, 1, 0, 0, 0, 0])]),
      },
      want: timeout,
    },
    {
      name: 'a denial without the question is not believed (RFC 5452 §9.1)',
      reply: {
        bytes: (query) => Buffer.concat([query.subarray(0, 2), Buffer.from([0x81, 0x83, 0, 0, 0, 0, 0, 0, 0, 0])]),
      },
      want: timeout,
    },
    {
      name: 'a bare header with FORMERR is an answer',
      reply: {
        bytes: (query) => Buffer.concat([query.subarray(0, 2), Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0, 0, 0, 0])]),
      },
      want: malformed,
    },
    {
      name: 'an MX too short for a name is not an answer',
      reply: {
        answers: [{ type: 'UNKNOWN_15' as 'A', name: 'a.example', data: Buffer.from([0, 1]) as unknown as string }],
      },
      want: malformed,
    },
    {
      name: 'a referral is not a denial',
      reply: { authorities: [{ type: 'NS', name: 'example', ttl: 60, data: 'ns.example' }] },
      want: refused,
    },
    {
      name: 'an alias in the answer is followed',
      reply: { answers: [cname('a.example', 'b.example'), mx('mx.example', 10, 'b.example')] },
      want: oneMx,
    },
    {
      name: 'an alias to a name without records is absent',
      reply: { answers: [cname('a.example', 'b.example')], authorities: [soa()] },
      want: nodata,
    },
    {
      name: 'an alias to a name that is denied is absent',
      reply: { code: 'NXDOMAIN', answers: [cname('a.example', 'b.example')], authorities: [soa()] },
      want: nxdomain,
    },
    {
      name: 'records of a name that is denied contradict the denial',
      reply: { code: 'NXDOMAIN', answers: [mx('mx.example')], authorities: [soa()] },
      want: malformed,
    },
    {
      name: 'records of other names are ignored, and are not a denial',
      reply: { answers: [mx('evil.example', 1, 'b.example')] },
      want: { state: 'failed', why: 'malformed' },
    },
    {
      name: 'odd bytes in a name are escaped',
      reply: { answers: [mx('a\u0007b.example')] },
      want: found({ preference: 10, exchange: 'a\\007b.example' }),
    },
  ])('$name', async ({ reply, want }) => {
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
  test.each<{ name: string; v4: ServerReply; v6: ServerReply; want: unknown }>([
    {
      name: 'both',
      v4: { answers: [a('8.8.8.8')] },
      v6: { answers: [aaaa('2001:4860::8')] },
      want: found('8.8.8.8', '2001:4860::8'),
    },
    { name: 'IPv4 only', v4: { answers: [a('8.8.8.8')] }, v6: empty, want: found('8.8.8.8') },
    { name: 'IPv6 only', v4: empty, v6: { answers: [aaaa('2001:4860::8')] }, want: found('2001:4860::8') },
    { name: 'found and broken make found', v4: { answers: [a('8.8.8.8')] }, v6: broken, want: found('8.8.8.8') },
    {
      name: 'broken and found make found',
      v4: broken,
      v6: { answers: [aaaa('2001:4860::8')] },
      want: found('2001:4860::8'),
    },
    { name: 'absent and broken make broken', v4: empty, v6: broken, want: servfail },
    { name: 'broken and absent make broken', v4: broken, v6: empty, want: servfail },
    { name: 'absent in both families is absent', v4: empty, v6: empty, want: nodata },
    { name: 'a denial of the name', v4: denied, v6: denied, want: nxdomain },
    {
      name: 'silence for IPv6 does not delay IPv4',
      v4: { answers: [a('8.8.8.8')] },
      v6: 'silence',
      want: found('8.8.8.8'),
    },
  ])('$name', async ({ v4, v6, want }) => {
    const dns = resolver([await server(({ type }) => (type === 'A' ? v4 : v6))], { timeoutMs: 20_000 });
    expect(await dns.addresses('a.example')).toEqual(want);
  });
});

describe('several resolvers', () => {
  test.each<{ name: string; first: ServerReply; second: ServerReply; want: unknown; asked: number }>([
    {
      name: 'the second is asked after SERVFAIL',
      first: { code: 'SERVFAIL' },
      second: { answers: [mx('mx.example')] },
      want: oneMx,
      asked: 1,
    },
    {
      name: 'the second is asked after REFUSED',
      first: { code: 'REFUSED' },
      second: { answers: [mx('mx.example')] },
      want: oneMx,
      asked: 1,
    },
    {
      name: 'the second is asked after garbage',
      first: 'garbage',
      second: { answers: [mx('mx.example')] },
      want: oneMx,
      asked: 1,
    },
    {
      name: 'the second is asked after silence',
      first: 'silence',
      second: { answers: [mx('mx.example')] },
      want: oneMx,
      asked: 1,
    },
    {
      name: 'the second is not asked after a denial',
      first: { code: 'NXDOMAIN' },
      second: { answers: [mx('mx.example')] },
      want: { ...nxdomain, by: 0 },
      asked: 0,
    },
    {
      name: 'silence does not hide a failure',
      first: { code: 'SERVFAIL' },
      second: 'silence',
      want: servfail,
      asked: 2,
    },
  ])('$name', async ({ first, second, want, asked }) => {
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
