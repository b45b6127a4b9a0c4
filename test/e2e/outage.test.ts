import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { a, mx, ns } from '../fakes/dns-records.js';
import { type DnsServer, type ServerReply, startDnsServer } from '../fakes/dns-server.js';
import { startSmtpHost } from '../fakes/smtp-host.js';
import { bareEnvironment, runBinary } from './run-binary.js';

const folder = mkdtempSync(join(tmpdir(), 'mailvet-outage-'));
const env = bareEnvironment();
const list = join(folder, 'list.csv');
const output = join(folder, 'out.csv');
let dns: DnsServer;
afterEach(() => dns.close());
afterAll(() => rmSync(folder, { recursive: true }));

/** A resolver in which all domains have a mail server at an address. */
function resolverFor(ip: string, reply: (name: string) => ServerReply | 'answers' = () => 'answers') {
  return startDnsServer(({ type, name }) => {
    const answer = reply(name);
    if (answer !== 'answers') return answer;
    if (type === 'MX') return { answers: [mx(`mx.${name}`, 10, name)] };
    if (type === 'NS') return { answers: [ns('ns.example.net', name)] };
    return type === 'A' ? { answers: [a(ip, name)] } : {};
  });
}

test('validate ends with 4 if the resolver is down, but with 1 if only a domain is', async () => {
  let isDown = true;
  dns = await resolverFor('192.0.2.1', (name) => {
    if (isDown) return { code: 'REFUSED' };
    return name.includes('dead') ? { code: 'SERVFAIL' } : 'answers';
  });
  const network = ['--level', 'dns', '--set', `resolvers=${dns.address}`, '--set', 'allow_networks=192.0.2.0/24'];
  const validate = (...emails: string[]) => runBinary(['validate', ...emails, ...network, '--quiet'], { env });

  const one = await validate('kim@python.com');
  expect(one).toMatchObject({ status: 4, err: expect.stringContaining('so nothing is known about the address.') });
  expect(JSON.parse(one.out)).toMatchObject({ status: 'unknown', sub_status: 'dns_error' });
  const several = {
    status: 4,
    err: expect.stringContaining('The DNS server gave no answer that can be trusted for most of the list'),
  };
  expect(await validate('kim@python.com', 'kim@dead.org', 'no address')).toMatchObject(several);

  isDown = false;
  expect(await validate('kim@dead.org')).toMatchObject({ status: 1, err: '' });
  expect(await validate('kim@python.com')).toMatchObject({ status: 0 });
});

test('bulk and upload end with 4 if no mail server of several domains can be reached, but not for the rest of a list', async () => {
  dns = await resolverFor('127.0.0.1');
  // Nothing listens on port 1.
  const network = ['--set', `resolvers=${dns.address}`, '--set', 'allow_networks=127.0.0.0/8', '--set', 'smtp_port=1'];
  const domains = ['one.org', 'two.org', 'three.org', 'four.org', 'five.org'];
  const bulk = (...flags: string[]) =>
    runBinary(['bulk', list, '-o', output, ...flags, ...network, '--quiet'], { env });
  const writeList = (names: readonly string[]) =>
    writeFileSync(list, ['email', ...names.map((name) => `kim@${name}`), ''].join('\n'));

  writeList(domains);
  writeFileSync(output, 'good\n');
  const down = { status: 4, err: expect.stringContaining('No mail server of any domain could be reached') };
  expect(await bulk()).toMatchObject(down);
  expect(await runBinary(['upload', list, '--yes', '--wait', '-o', output, ...network], { env })).toMatchObject(down);
  expect(readFileSync(output, 'utf8')).toBe('good\n');

  writeList(domains.slice(1));
  expect(await bulk()).toMatchObject({ status: 0, err: '' });
  expect(readFileSync(output, 'utf8').match(/unknown,failed_smtp_connection/g)).toHaveLength(4);
});

test('after an outage, the same command and a new upload ask again', async () => {
  let isDown = true;
  const host = await startSmtpHost({ rcpt: (rcpt) => (rcpt.startsWith('kim@') ? '250 ok' : '550 5.1.1 User unknown') });
  dns = await resolverFor('127.0.0.1', () => (isDown ? { code: 'REFUSED' } : 'answers'));
  const network = () => ['--set', `resolvers=${dns.address}`, '--set', 'allow_networks=127.0.0.0/8'];
  const bulk = (port: number, ...flags: string[]) =>
    runBinary(['bulk', list, '-o', output, '--set', `smtp_port=${port}`, ...flags, ...network()], { env });
  const upload = (port: number) => {
    const flags = ['-y', '--wait', '--max-age', '30d', '--set', `smtp_port=${port}`, ...network()];
    return runBinary(['upload', list, '-o', output, ...flags], { env });
  };
  writeFileSync(list, `email\n${['one', 'two', 'three', 'four', 'five'].map((name) => `kim@${name}.org\n`).join('')}`);
  try {
    for (const port of [host.port, 1]) {
      expect(await bulk(port)).toMatchObject({ status: 4 });
      isDown = false;
      expect(await bulk(host.port)).toMatchObject({ status: 0 });
      expect(readFileSync(output, 'utf8').match(/,valid,/g)).toHaveLength(5);
    }
    for (const _ of [1, 2]) {
      expect(await upload(1)).toMatchObject({ status: 4, err: expect.not.stringContaining('Continuing job') });
    }
    expect(await upload(host.port)).toMatchObject({ status: 0 });
    expect(readFileSync(output, 'utf8').match(/,valid,/g)).toHaveLength(5);
  } finally {
    await host.stop();
  }
});
