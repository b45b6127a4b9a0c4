import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { a, mx, ns } from '../fakes/dns-records.js';
import { type DnsServer, type ServerReply, startDnsServer } from '../fakes/dns-server.js';
import { bareEnvironment, runBinary } from './run-binary.js';

const folder = mkdtempSync(join(tmpdir(), 'mailvet-outage-'));
const env = bareEnvironment();
const list = join(folder, 'list.csv');
const output = join(folder, 'out.csv');
let dns: DnsServer;
afterEach(async () => {
  await dns.close();
  rmSync(folder, { recursive: true });
});

test('bulk and upload end with 4 if the resolver is down, but with 0 if only domains are', async () => {
  let reply: (name: string) => ServerReply | 'answers' = () => ({ code: 'REFUSED' });
  dns = await startDnsServer(({ type, name }) => {
    const answer = reply(name);
    if (answer !== 'answers') return answer;
    if (type === 'MX') return { answers: [mx('mx.example.net', 10, name)] };
    if (type === 'NS') return { answers: [ns('ns.example.net', name)] };
    return type === 'A' ? { answers: [a('192.0.2.1', name)] } : {};
  });
  writeFileSync(list, 'email\nkim@dead-one.org\nkim@dead-two.org\nkim@python.com\n');
  writeFileSync(output, 'good\n');
  const network = ['--level', 'dns', '--resolver', dns.address, '--allow-network', '192.0.2.0/24'];
  const run = (...args: string[]) => runBinary([...args, '--quiet'], { env });
  const bulk = () => run('bulk', list, '-o', output, ...network);
  const upload = () => run('upload', list, '--yes', '--wait', '-o', output, ...network);

  const down = { status: 4, err: expect.stringContaining('The DNS server did not answer for most of the list') };
  expect(await bulk()).toMatchObject(down);
  expect(await upload()).toMatchObject(down);
  expect(await run('jobs', 'resume', 'latest', '--only-unknown', '--wait')).toMatchObject(down);
  expect(readFileSync(output, 'utf8')).toBe('good\n');

  reply = (name) => (name.includes('dead') ? { code: 'SERVFAIL' } : 'answers');
  expect(await run('jobs', 'resume', 'latest', '--only-unknown', '--wait')).toMatchObject({ status: 0 });
  expect(await bulk()).toMatchObject({ status: 0, err: '' });
  const byBulk = readFileSync(output, 'utf8');
  expect(byBulk.match(/unknown,dns_error/g)).toHaveLength(2);
  expect(await upload()).toMatchObject({ status: 0, err: '' });
  expect(readFileSync(output, 'utf8')).toBe(byBulk);
});
