import type { Answer } from 'dns-packet';
import { describe, expect, test } from 'vitest';
import { localCallerWith } from '../../../src/async/caller.js';
import { dnsLab } from '../../fakes/dns-lab.js';
import { mx, soa } from '../../fakes/dns-records.js';
import type { ServerReply } from '../../fakes/dns-server.js';
import { timeout } from '../../fakes/fake-dns.js';

const { server, resolver } = dnsLab();
const oneMx = { state: 'found', records: [{ preference: 10, exchange: 'mx.example' }] };

/** A promise, and the function that resolves it. */
function gate() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((unlock) => {
    resolve = unlock;
  });
  return { promise, resolve };
}

describe('the cache', () => {
  const replies: Record<string, ServerReply> = {
    found: { answers: [mx('mx.example')] },
    zeroTtl: { answers: [{ ...mx('mx.example'), ttl: 0 } as Answer] },
    hugeTtl: { answers: [{ ...mx('mx.example'), ttl: 1_000_000 } as Answer] },
    absent: { code: 'NXDOMAIN', authorities: [soa(120)] },
    failed: { code: 'SERVFAIL' },
  };
  test.each([
    { kind: 'found', fresh: 299, stale: 301 },
    { kind: 'zeroTtl', fresh: 29, stale: 31 },
    { kind: 'hugeTtl', fresh: 3_599, stale: 3_601 },
    { kind: 'absent', fresh: 119, stale: 121 },
    { kind: 'failed', fresh: 9, stale: 11 },
  ])('keeps an answer that is $kind for $fresh s, not for $stale s', async ({ kind, fresh, stale }) => {
    let seconds = 0;
    const upstream = await server(() => replies[kind] ?? {});
    const dns = resolver([upstream], { now: () => seconds * 1_000 });
    await dns.mx('a.example');
    seconds = fresh;
    await dns.mx('A.example.');
    expect(upstream.questions).toHaveLength(1);
    seconds = stale;
    await dns.mx('a.example');
    expect(upstream.questions).toHaveLength(2);
  });

  test('keeps name servers for 30 s only: they test the resolver', async () => {
    let seconds = 0;
    const upstream = await server(() => ({
      answers: [{ type: 'NS', name: 'com', ttl: 172_800, data: 'a.gtld-servers.net' }],
    }));
    const dns = resolver([upstream], { now: () => seconds * 1_000 });
    for (const at of [0, 29, 31]) {
      seconds = at;
      await dns.ns('com');
    }
    expect(upstream.questions).toHaveLength(2);
  });

  test('keeps entries in use and evicts others, within its limit', async () => {
    const upstream = await server(() => ({}));
    const dns = resolver([upstream], { cacheEntries: 8 });
    await dns.mx('used.example');
    await dns.mx('unused.example');
    for (let index = 0; index < 20; index++) {
      await dns.mx(`d${index}.example`);
      await dns.mx('used.example');
    }
    await dns.mx('unused.example');
    expect(upstream.questions.filter((line) => line.includes('used'))).toEqual([
      'MX used.example udp',
      'MX unused.example udp',
      'MX unused.example udp',
    ]);
  });
});

describe('many queries', () => {
  test('equal queries in flight are sent once', async () => {
    const answered = gate();
    const upstream = await server(() => ({ after: answered.promise, reply: { answers: [mx('mx.example')] } }));
    const dns = resolver([upstream]);
    const asked = Array.from({ length: 50 }, () => dns.mx('a.example'));
    answered.resolve();
    for (const answer of await Promise.all(asked)) expect(answer).toEqual(oneMx);
    expect(upstream.questions).toEqual(['MX a.example udp']);
  });

  test('a cache that is too small for the queries in flight answers all of them', async () => {
    const answered = gate();
    const upstream = await server(({ name }) => ({
      after: answered.promise,
      reply: { answers: [mx('mx.example', 10, name)] },
    }));
    const dns = resolver([upstream], { cacheEntries: 2 });
    const asked = ['a', 'b', 'c', 'c', 'a'].map((label) => dns.mx(`${label}.example`));
    answered.resolve();
    for (const answer of await Promise.all(asked)) expect(answer).toEqual(oneMx);
    expect(upstream.questions).toHaveLength(4);
  });

  test('no more queries are in flight than allowed, and all are answered', async () => {
    let open = 0;
    let maxInFlight = 0;
    const upstream = await server(({ name }) => {
      maxInFlight = Math.max(maxInFlight, ++open);
      const done = new Promise((resolve) => setImmediate(resolve)).then(() => open--);
      return { after: done, reply: { answers: [mx('mx.example', 10, name)] } };
    });
    const dns = resolver([upstream], { maxInFlight: 5 });
    const answers = await Promise.all(Array.from({ length: 300 }, (_, i) => dns.mx(`d${i}.example`)));
    expect(answers.filter(({ state }) => state === 'found')).toHaveLength(300);
    expect(maxInFlight).toBeLessThanOrEqual(5);
    expect(maxInFlight).toBeGreaterThan(1);
  });
});

test('a long queue of names that cannot be queried does not overflow the stack', async () => {
  const upstream = await server(() => ({ answers: [mx('mx.example')] }));
  const dns = resolver([upstream], { maxInFlight: 1 });
  const asked = dns.mx('a.example');
  const broken = Array.from({ length: 50_000 }, (_, index) => dns.mx(`broken..${index}.example`));
  expect((await Promise.all(broken)).every((answer) => answer.state === 'failed' && answer.why === 'malformed')).toBe(
    true,
  );
  expect(await asked).toMatchObject({ state: 'found' });
});

test('a process that was busy reads pending replies before it considers the resolver silent', async () => {
  const upstream = await server(() => ({ answers: [mx('mx.example')] }));
  const dns = resolver([upstream], { timeoutMs: 300 });
  const asked = dns.mx('a.example');
  const freeAgainAt = performance.now() + 600;
  while (performance.now() < freeAgainAt);
  expect(await asked).toMatchObject({ state: 'found' });
});

describe('an abort', () => {
  test('is thrown to its caller only', async () => {
    const answered = gate();
    const arrived = gate();
    const upstream = await server(() => {
      arrived.resolve();
      return { after: answered.promise, reply: { answers: [mx('mx.example')] } };
    });
    const dns = resolver([upstream]);
    const impatient = new AbortController();
    const patient = new AbortController();
    const dropped = dns.mx('a.example', localCallerWith(impatient.signal));
    const patientQuery = dns.mx('a.example', localCallerWith(patient.signal));
    await arrived.promise;
    impatient.abort();
    await expect(dropped).rejects.toMatchObject({ name: 'AbortError' });
    answered.resolve();
    expect(await patientQuery).toEqual(oneMx);
    expect(upstream.questions).toHaveLength(1);
  });

  test('of the last caller frees the place in the queue and leaves nothing in the cache', async () => {
    const arrived = gate();
    const upstream = await server(({ name, asked }) => {
      if (name !== 'a.example' || asked > 0) return { answers: [mx('mx.example', 10, name)] };
      arrived.resolve();
      return 'silence';
    });
    const dns = resolver([upstream], { maxInFlight: 1, timeoutMs: 60_000 });
    const impatient = new AbortController();
    const first = dns.mx('a.example', localCallerWith(impatient.signal));
    const waiting = dns.mx('c.example', localCallerWith(impatient.signal));
    const second = dns.mx('b.example');
    await arrived.promise;
    impatient.abort();
    await expect(first).rejects.toMatchObject({ name: 'AbortError' });
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    expect(await second).toEqual(oneMx);
    expect(await dns.mx('a.example')).toEqual(oneMx);
    expect(upstream.questions.some((line) => line.includes('c.example'))).toBe(false);
  });

  test('of the last caller does not stop the next one from asking', async () => {
    const upstream = await server(({ asked }) => (asked === 0 ? 'silence' : { answers: [mx('mx.example')] }));
    const dns = resolver([upstream], { timeoutMs: 60_000 });
    const impatient = new AbortController();
    const dropped = dns.mx('a.example', localCallerWith(impatient.signal));
    impatient.abort();
    const nextQuery = dns.mx('a.example', localCallerWith(new AbortController().signal));
    await expect(dropped).rejects.toMatchObject({ name: 'AbortError' });
    expect(await nextQuery).toEqual(oneMx);
  });

  test('before the call is thrown without a query', async () => {
    const upstream = await server(() => ({}));
    const dns = resolver([upstream]);
    await expect(dns.addresses('a.example', localCallerWith(AbortSignal.abort()))).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(upstream.questions).toEqual([]);
  });
});

test('closing ends every query', async () => {
  const arrived = gate();
  const upstream = await server(() => {
    arrived.resolve();
    return 'silence';
  });
  const dns = resolver([upstream], { timeoutMs: 60_000, maxInFlight: 1 });
  const asked = [dns.mx('a.example'), dns.mx('b.example')];
  await arrived.promise;
  dns.close();
  expect(await Promise.all(asked)).toEqual([timeout, timeout]);
  expect(await dns.mx('c.example')).toEqual(timeout);
  expect(upstream.questions).toEqual(['MX a.example udp']);
});
