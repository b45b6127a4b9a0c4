import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { mx } from '../../fakes/dns-records.js';
import { startDnsServer } from '../../fakes/dns-server.js';

test('the script counts the servers of listed domains, except those that other domains use', async () => {
  let sampled = 0;
  const free = new Set(readFileSync('src/engine/data/free.txt', 'utf8').split('\n'));
  const dns = await startDnsServer(({ name, type }) => {
    if (type !== 'MX') return {};
    if (free.has(name)) return { answers: [mx('mx.shared-hoster.net', 10, name)] };
    if (sampled >= 90) return {};
    const hosts = ['mx.cluster.net', 'mx.shared-hoster.net', 'aspmx.l.google.com', 'mx.mailinator.com'];
    const host = sampled++ < 25 ? hosts : ['mx.rare.net', ...hosts.slice(1)].slice(sampled < 40 ? 0 : 1);
    return { answers: host.map((exchange) => mx(exchange, 10, name)) };
  });
  try {
    const args = ['scripts/count-disposable-hosts.mjs', '--resolver', dns.address, '--sample', '90'];
    expect((await promisify(execFile)(process.execPath, args)).stdout).toBe('mx.cluster.net 25\n');
  } finally {
    await dns.close();
  }
}, 60_000);
