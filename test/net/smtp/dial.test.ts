import { createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Failure } from '../../../src/model/failure.js';
import { directDial, socksDial } from '../../../src/net/smtp/dial.js';
import type { SmtpFault } from '../../../src/net/smtp/fault.js';
import { type SmtpHost, startSmtpHost } from '../../fakes/smtp-host.js';
import { proberFor, request, routeTo } from '../probe/smtp-probe.js';

/** A SOCKS5 proxy that knows one user and carries to where it is asked, or refuses. */
async function startProxy(verdict: 'carries' | 'refuses') {
  const asked: string[] = [];
  const server = createServer((client) => {
    client.on('error', () => {});
    client.once('data', () => {
      client.write(Buffer.from([5, 2]));
      client.once('data', (login) => {
        const user = login.toString('utf8', 2, 2 + (login[1] ?? 0));
        client.write(Buffer.from([1, user === 'ann' ? 0 : 1]));
        client.once('data', (command) => carry(client, command, asked, verdict));
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { port, asked, stop: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

async function carry(client: Socket, command: Buffer, asked: string[], verdict: string): Promise<void> {
  const { connect } = await import('node:net');
  const ip = [...command.subarray(4, 8)].join('.');
  const port = command.readUInt16BE(8);
  asked.push(`${ip}:${port}`);
  const answer = (code: number) => client.write(Buffer.from([5, code, 0, 1, 127, 0, 0, 1, 0, 0]));
  if (verdict === 'refuses') {
    answer(5);
    return;
  }
  const onward = connect(port, ip, () => {
    answer(0);
    client.pipe(onward).pipe(client);
  });
  onward.on('error', () => client.destroy());
}

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
  ])('that $verdict, asked by $user → $want', async ({ verdict, user, want }) => {
    const proxy = await startProxy(verdict);
    const prober = proberFor(host, { proxy: `socks5://${user}:secret@127.0.0.1:${proxy.port}` });
    const { mailbox } = await prober.probe(request('ann@example.com', routeTo(host)));
    expect(mailbox.outcome.state === 'passed' ? 'passed' : mailbox.outcome.reason).toBe(want);
    if (want === 'passed') expect(proxy.asked).toEqual([`127.0.0.1:${host.port}`]);
    await prober.close();
    await proxy.stop();
  });

  test.each(['http://127.0.0.1:8080', 'socks5://', '127.0.0.1:1080', ''])('"%s" is none', (proxy) => {
    expect(() => socksDial(proxy)).toThrow(Failure);
  });
});

describe('dialling', () => {
  const never = new AbortController().signal;

  test.each([
    { name: 'a name', ip: 'localhost', kind: 'unreachable' },
    { name: 'nothing', ip: '', kind: 'unreachable' },
  ])('$name is not dialled', async ({ ip, kind }) => {
    await expect(directDial({ host: 'mx', ip, port: 1 }, 1000, never)).rejects.toMatchObject({
      kind,
      stage: 'connect',
    });
  });

  test('a closed port refuses', async () => {
    const host = await startSmtpHost();
    await host.stop();
    const fault: SmtpFault = await directDial({ host: 'mx', ...host }, 1000, never).then(
      () => Promise.reject(new Error('connected')),
      (error: SmtpFault) => error,
    );
    expect(fault).toMatchObject({ kind: 'refused', stage: 'connect' });
  });

  test('IPv6 is dialled like IPv4', async () => {
    const host = await startSmtpHost({}, { ip: '::1' });
    const socket = await directDial({ host: 'mx', ip: '::1', port: host.port }, 1000, never);
    expect(socket.remoteAddress).toBe('::1');
    socket.destroy();
    await host.stop();
  });

  test('an abort before the connect is heard', async () => {
    const aborted = AbortSignal.abort();
    await expect(directDial({ host: 'mx', ip: '127.0.0.1', port: 1 }, 1000, aborted)).rejects.toThrow('interrupted');
  });
});
