import { expect, test } from 'vitest';
import { startNetwork } from '../fakes/network.js';
import { startProxy } from '../fakes/socks-proxy.js';
import { runBinary } from './run-binary.js';

test('the built program reaches mail servers through a SOCKS5 proxy', async () => {
  const network = await startNetwork({
    rcpt: (rcpt) => (rcpt.startsWith('ann@') ? '250 ok' : '550 5.1.1 no such user'),
  });
  const proxy = await startProxy('carries');
  const way = ['--set', `proxy=socks5://ann:secret@127.0.0.1:${proxy.port}`, ...network.flags];
  try {
    const { out } = await runBinary(['validate', 'ann@site.com', '--json', ...way]);
    expect(JSON.parse(out)).toMatchObject({ status: 'valid' });
    expect(proxy.asked).toContain(`127.0.0.1:${network.host.port}`);
  } finally {
    await Promise.all([network.stop(), proxy.stop()]);
  }
});
