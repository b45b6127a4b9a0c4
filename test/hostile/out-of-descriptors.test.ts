import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runShell } from '../e2e/run-binary.js';
import { bundleForNode } from '../fakes/bundle.js';
import { mx } from '../fakes/dns-records.js';
import { type DnsServer, startDnsServer } from '../fakes/dns-server.js';
import { type SmtpHost, startSmtpHost } from '../fakes/smtp-host.js';
import { startZone } from './mail-zone.js';

const run = promisify(execFile);
const running: (SmtpHost | DnsServer)[] = [];
let child = { path: '', remove: () => {} };
beforeAll(async () => {
  child = await bundleForNode('hostile/descriptors-child.ts');
});
afterAll(async () => {
  child.remove();
  await Promise.all(running.map((one) => ('stop' in one ? one.stop() : one.close())));
});

describe('without a free descriptor', () => {
  test('queries and connects wait for one, and all of them end', async () => {
    const host = await startSmtpHost();
    const zone = await startDnsServer(({ name, via }) => {
      if (via === 'udp' && name === 'truncated.com') return 'truncated';
      return { answers: [mx('mx.com', 10, name)] };
    });
    running.push(host, zone);
    const line = `ulimit -n 48; exec '${process.execPath}' '${child.path}' ${zone.address} ${host.ip} ${host.port}`;
    const { stdout } = await run('bash', ['-c', line]);
    expect(JSON.parse(stdout)).toEqual({
      withoutDescriptors: ['timeout', 'timeout', 'timeout', 'source: cannot dial from here: EMFILE'],
      laterStates: ['found', 'found', 'connected', 'found'],
    });
  });

  // Node 24 itself aborts with 20.
  const limits = Number(process.versions.node.split('.')[0]) < 24 ? [20, 22, 24, 28] : [22, 24, 28];
  test.each(limits)('a run with %i descriptors is complete, or ends with status 6', async (limit) => {
    // Only its port is used. The hosts of the zone accept every recipient.
    const host = await startSmtpHost();
    const names = Array.from({ length: 40 }, (_, index) => `shop${index}.com`);
    const hosts = names.map((name, index) => ({ name: `mx.${name}`, addresses: [`127.3.0.${index + 1}`] }));
    const zone = await startZone(names.map((name, index) => ({ name, hosts: hosts.slice(index, index + 1) })));
    running.push(
      zone,
      host,
      ...(await Promise.all(hosts.map(({ addresses: [ip = ''] }) => startSmtpHost({}, { ip, port: host.port })))),
    );
    const flags = `--set allow_networks=127.0.0.0/8 --set resolvers=${zone.address} --set smtp_port=${host.port} --set ehlo_name=me.org --set timeout=3s`;
    const list = names.map((name) => `jane@${name}`).join('\\n');
    const seen = await runShell(
      `printf '${list}\\n' > $HOME/list.txt; ulimit -n ${limit}; $MAILVET bulk $HOME/list.txt ${flags}`,
    );
    if (seen.status === 0) expect(seen.out.match(/"status":"risky"/g)).toHaveLength(names.length);
    else expect(seen).toMatchObject({ status: 6, err: expect.stringContaining('as many files and connections open') });
  });
});
