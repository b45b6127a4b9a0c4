import { afterEach, expect, test } from 'vitest';
import { bundledEngine } from '../../src/service/local/validation.js';
import type { DnsServer } from '../fakes/dns-server.js';
import { type HostScript, type SmtpHost, startSmtpHost } from '../fakes/smtp-host.js';
import { startZone } from '../hostile/mail-zone.js';
import { ask, openServer, type TestServer } from './run-server.js';

const running: (SmtpHost | DnsServer | TestServer)[] = [];
afterEach(async () => {
  for (const one of running.splice(0).reverse()) await ('stop' in one ? one.stop() : one.close());
});

async function host(script: HostScript, ip: string, port?: number): Promise<SmtpHost> {
  const started = await startSmtpHost(script, { ip, ...(port !== undefined && { port }) });
  running.push(started);
  return started;
}

/** A service that probes mailboxes. The mail server of shop7.com has the seventh address, and so on. */
async function serve(addresses: readonly string[], smtpPort: number, concurrency = 64): Promise<TestServer> {
  const zone = await startZone(
    addresses.map((address, index) => ({
      name: `shop${index}.com`,
      hosts: [{ name: `mx.shop${index}.com`, addresses: [address] }],
    })),
  );
  running.push(zone);
  const engine = bundledEngine({
    ...{ resolvers: [zone.address], smtpPort, concurrency, allowNetworks: ['127.0.0.0/8'] },
    ...{ ehloName: 'probe.mailvet-lab.com', greylistWaitMs: 0, ai: false },
  });
  const server = await openServer({ validation: engine, keepLog: false });
  running.push({ ...server, stop: () => server.stop().then(engine.close) });
  return server;
}

const bulk = (server: TestServer, emails: readonly string[], signal?: AbortSignal) =>
  ask(`${server.url}/validation/bulk`, { key: server.key, body: { emails }, ...(signal && { signal }) });
const single = async (server: TestServer, email: string) =>
  ask(`${server.url}/validation/single?email=${email}`, { key: (await server.makeKey()).key });

test('one mailbox does not wait for a thousand of another key at the same mail server', async () => {
  let seen = 0;
  let release = (): void => {};
  const begun = new Promise<void>((resolve) => {
    release = resolve;
  });
  const order: string[] = [];
  const mailHost = await host(
    {
      // One mailbox per turn, so that turns can be counted.
      extensions: [],
      rcpt: (address) => {
        order.push(address);
        if (++seen === 50) release();
        return address.startsWith('ada@') ? '250 2.1.5 Ok' : '550 5.1.1 User unknown';
      },
    },
    '127.0.0.2',
  );
  const server = await serve(
    Array.from({ length: 20 }, () => '127.0.0.2'),
    mailHost.port,
  );
  const many = bulk(
    server,
    Array.from({ length: 1_000 }, (_, index) => `u${index}@shop${index % 20}.com`),
  );
  await begun;
  const answer = await single(server, 'ada@shop3.com');
  const before = order.length;
  expect(answer.json).toMatchObject({ status: 'valid', details: { smtp_code: 250 } });
  expect((await many).json).toMatchObject({ total: 1_000, invalid_count: 1_000 });
  // It is answered after the turns that passed while its request was read, but before most of the list.
  expect(before).toBeLessThan(600);
  expect(order.indexOf('ada@shop3.com')).toBeLessThan(before);
});

test('mail servers that never greet hold no session that a single mailbox needs', async () => {
  const good = await host({ rcpt: (address) => (address.startsWith('ada@') ? '250 Ok' : '550 5.1.1 No') }, '127.0.0.2');
  const silent = await Promise.all(
    Array.from({ length: 20 }, (_, index) => host({ banner: () => null }, `127.0.1.${index + 1}`, good.port)),
  );
  const held = (): number => silent.reduce((sum, { open }) => sum + open, 0);
  const server = await serve([good.ip, ...silent.map(({ ip }) => ip)], good.port, 16);
  const leaving = new AbortController();
  const many = bulk(
    server,
    silent.map((_, index) => `u@shop${index + 1}.com`),
    leaving.signal,
  );
  // A list may use 14 of the 16 sessions.
  while (held() < 14) await new Promise(setImmediate);
  const answer = await single(server, 'ada@shop0.com');
  expect(answer.json).toMatchObject({ status: 'valid', details: { smtp_code: 250 } });
  expect(held()).toBe(14);
  leaving.abort();
  await many.catch(() => null);
});
