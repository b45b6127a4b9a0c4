import { expect, test } from 'vitest';
import { a, mx } from '../fakes/dns-records.js';
import { startDnsServer } from '../fakes/dns-server.js';
import { startSmtpHost } from '../fakes/smtp-host.js';
import { startProxy } from '../fakes/socks-proxy.js';
import { bareEnvironment, runBinary } from './run-binary.js';

test('the built program reaches mail servers through a SOCKS5 proxy', async () => {
  const host = await startSmtpHost({ rcpt: (rcpt) => (rcpt.startsWith('ann@') ? '250 ok' : '550 5.1.1 no such user') });
  const proxy = await startProxy('carries');
  const dns = await startDnsServer(({ type, name }) =>
    type === 'MX'
      ? { answers: [mx('mx.example.net', 10, name)] }
      : type === 'A' && name === 'mx.example.net'
        ? { answers: [a('127.0.0.1', name)] }
        : {},
  );
  const network = [
    '--set',
    `resolvers=${dns.address}`,
    '--set',
    `smtp_port=${host.port}`,
    '--set',
    'allow_networks=127.0.0.0/8',
  ];
  const way = ['--set', `proxy=socks5://ann:secret@127.0.0.1:${proxy.port}`, '--set', 'ehlo_name=probe.example.net'];
  try {
    const { out } = await runBinary(['validate', 'ann@site.com', '--json', ...network, ...way], {
      env: bareEnvironment(),
    });
    expect(JSON.parse(out)).toMatchObject({ status: 'valid' });
    expect(proxy.asked).toContain(`127.0.0.1:${host.port}`);
  } finally {
    await Promise.all([host.stop(), dns.close(), proxy.stop()]);
  }
});
