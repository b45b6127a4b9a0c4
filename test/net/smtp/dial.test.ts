import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Failure } from '../../../src/model/failure.js';
import { checkOutboundRoute, chooseDial, directDial, socksDial } from '../../../src/net/smtp/dial.js';
import { type SmtpHost, startSmtpHost } from '../../fakes/smtp-host.js';
import { startProxy } from '../../fakes/socks-proxy.js';
import { proberFor, request, routeTo } from '../probe/smtp-probe.js';

describe('a SOCKS5 proxy', () => {
  let host: SmtpHost;
  beforeAll(async () => {
    host = await startSmtpHost({ rcpt: (rcpt) => (rcpt.startsWith('ann@') ? '250 ok' : '550 5.1.1 no') });
  });
  afterAll(() => host.stop());

  test.each([
    { verdict: 'carries' as const, user: 'ann', want: 'passed' },
    { verdict: 'refuses' as const, user: 'ann', want: 'failed_smtp_connection' },
    { verdict: 'carries' as const, user: 'eve', want: 'failed_smtp_connection' },
  ])('that $verdict, used by $user → $want', async ({ verdict, user, want }) => {
    const proxy = await startProxy(verdict);
    const prober = proberFor(host, { proxy: `socks5://${user}:secret@127.0.0.1:${proxy.port}` });
    const { mailbox } = await prober.probe(request('ann@example.com', routeTo(host)));
    expect(mailbox.outcome.state === 'passed' ? 'passed' : mailbox.outcome.reason).toBe(want);
    if (want === 'passed') expect(proxy.asked).toEqual([`127.0.0.1:${host.port}`]);
    await prober.close();
    await proxy.stop();
  });

  test('that says nothing is left at once by an abort, and otherwise after the timeout', async () => {
    const closed: Promise<unknown>[] = [];
    const silent = createServer(
      (client) =>
        void closed.push(
          once(
            client.resume().on('error', () => {}),
            'close',
          ),
        ),
    );
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo;
    const dial = socksDial(`socks5://127.0.0.1:${port}`);
    const target = { host: 'mx', ip: '192.0.2.1', port: 25 };
    const abort = new AbortController();
    const dialing = dial(target, 60_000, abort.signal);
    await once(silent, 'connection');
    abort.abort();
    await expect(dialing).rejects.toThrow('interrupted');
    await Promise.all(closed);
    await expect(dial(target, 50, new AbortController().signal)).rejects.toMatchObject({
      kind: 'proxy',
      message: expect.stringContaining('timed out'),
    });
    await Promise.all(closed);
    await new Promise((resolve) => silent.close(resolve));
  });

  test('that is not there is a fault of the proxy', async () => {
    const dialing = socksDial('socks5://127.0.0.1:1')(
      { host: 'mx', ip: '192.0.2.1', port: 25 },
      1000,
      new AbortController().signal,
    );
    await expect(dialing).rejects.toMatchObject({ kind: 'proxy', message: expect.stringContaining('ECONNREFUSED') });
  });

  test.each(['http://127.0.0.1:8080', 'socks5://', '127.0.0.1:1080', ''])('"%s" is not a proxy', (proxy) => {
    expect(() => socksDial(proxy)).toThrow(Failure);
  });
});

describe('several routes', () => {
  const target = (host: string, ip = '127.0.0.1') => ({ host, ip, port: 0 });
  const signal = new AbortController().signal;

  test('a mail host keeps its proxy, and another one is used if that is down', async () => {
    const host = await startSmtpHost();
    const [one, two] = [await startProxy('carries'), await startProxy('carries')];
    const dial = chooseDial({ proxy: [one, two].map(({ port }) => `socks5://ann:secret@127.0.0.1:${port}`).join() });
    const connect = async (name: string) => (await dial({ ...target(name), port: host.port }, 1_000, signal)).destroy();
    for (const name of ['mx1', 'mx1', 'mx2', 'mx2']) await connect(name);
    expect([one.asked.length, two.asked.length]).toEqual([2, 2]);
    await one.stop();
    for (const name of ['mx1', 'mx2']) await connect(name);
    expect(two.asked.length).toBe(4);
    await two.stop();
    await host.stop();
  });

  test('a mail host is dialed from an address of its family', async () => {
    const host = await startSmtpHost();
    const dial = chooseDial({ sourceIp: '127.0.0.7,::1,127.0.0.8' });
    const from = new Set<string | undefined>();
    for (let index = 0; index < 12; index++) {
      const socket = await dial({ ...target(`mx${index}`), port: host.port }, 1_000, signal);
      from.add(socket.localAddress);
      socket.destroy();
    }
    expect([...from].sort()).toEqual(['127.0.0.7', '127.0.0.8']);
    await host.stop();
  });
});

describe('dialing', () => {
  const neverAborted = new AbortController().signal;

  test.each([
    { name: 'a name', ip: 'localhost', kind: 'unreachable' },
    { name: 'nothing', ip: '', kind: 'unreachable' },
  ])('$name is not dialed', async ({ ip, kind }) => {
    await expect(directDial({ host: 'mx', ip, port: 1 }, 1000, neverAborted)).rejects.toMatchObject({
      kind,
      stage: 'connect',
    });
  });

  test('a closed port refuses, and the fault has no stack, whose frames would retain the socket', async () => {
    const host = await startSmtpHost();
    await host.stop();
    await expect(directDial({ host: 'mx', ...host }, 1000, neverAborted)).rejects.toMatchObject({
      ...{ kind: 'refused', stage: 'connect' },
      stack: 'SmtpFault: connection refused',
    });
  });

  test('IPv6 is dialed like IPv4', async () => {
    const host = await startSmtpHost({}, { ip: '::1' });
    const socket = await directDial({ host: 'mx', ip: '::1', port: host.port }, 1000, neverAborted);
    expect(socket.remoteAddress).toBe('::1');
    socket.destroy();
    await host.stop();
  });

  test.each([
    { from: '127.0.0.7', to: '127.0.0.1' },
    { from: '::1', to: '::1' },
  ])('a host is dialed from $from if that is configured', async ({ from, to }) => {
    const host = await startSmtpHost({}, { ip: to });
    const socket = await chooseDial({ sourceIp: from })({ host: 'mx', ip: to, port: host.port }, 1000, neverAborted);
    expect(socket.localAddress).toBe(from);
    socket.destroy();
    await host.stop();
  });

  test.each([
    { name: 'a host with addresses of the other IP version', from: '::1' },
    { name: 'from an address of another machine', from: '192.0.2.1' },
  ])('$name is not dialed, which says nothing about the port', async ({ from }) => {
    const dialing = chooseDial({ sourceIp: from })({ host: 'mx', ip: '127.0.0.1', port: 9 }, 1000, neverAborted);
    await expect(dialing).rejects.toMatchObject({ kind: 'source', stage: 'connect' });
  });

  test('from an IPv6 address, only IPv6 addresses of hosts are dialed', async () => {
    const both = await startSmtpHost({}, { ip: '::1' });
    const prober = proberFor(both, { sourceIp: '::1' });
    const four = { name: 'mx', preference: 0, addresses: ['127.0.0.1', '127.0.0.2', '127.0.0.3'] };
    const six = { ...four, addresses: [...four.addresses, '::1'] };
    const ask = async (host: typeof four) =>
      (await prober.probe(request(`ann@${host.addresses.length}.example.com`, { hosts: [host], implicit: false })))
        .mailbox.outcome;
    expect(await ask(six)).toMatchObject({ state: 'passed' });
    expect(await ask(four)).toEqual({ state: 'unknown', reason: 'failed_smtp_connection' });
    await prober.close();
    await both.stop();
  });

  test('a source address that this machine does not have is reported before any dial', async () => {
    await expect(checkOutboundRoute({ sourceIp: '127.0.0.7' })).resolves.toBeUndefined();
    await expect(checkOutboundRoute({ sourceIp: '192.0.2.1' })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('this machine has no such address'),
    });
    const both = { sourceIp: '127.0.0.7', proxy: 'socks5://127.0.0.1:1080' };
    await expect(checkOutboundRoute(both)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('the settings proxy'),
    });
  });

  test('an abort before the connect is respected', async () => {
    const aborted = AbortSignal.abort();
    await expect(directDial({ host: 'mx', ip: '127.0.0.1', port: 1 }, 1000, aborted)).rejects.toThrow('interrupted');
  });
});
