import { afterEach, describe, expect, test } from 'vitest';
import type { DnsServer } from '../fakes/dns-server.js';
import { type FaultProxy, startTcpFaultProxy } from '../fakes/fault-proxy.js';
import { type HostScript, type SmtpHost, startSmtpHost } from '../fakes/smtp-host.js';
import { bulkRun, type Domain, startZone } from './mail-zone.js';

const running: (SmtpHost | DnsServer | FaultProxy)[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => ('stop' in one ? one.stop() : one.close())));
});

async function host(script: HostScript, ip: string, port?: number): Promise<SmtpHost> {
  const started = await startSmtpHost(script, { ip, ...(port !== undefined && { port }) });
  running.push(started);
  return started;
}

/** Delays every reply. */
async function slowLink(behind: SmtpHost, ip: string): Promise<FaultProxy> {
  const link = await startTcpFaultProxy(behind, () => ({ kind: 'latency', ms: 40 }), { ip });
  running.push(link);
  return link;
}

/** Accepts only `jane@…`. */
const good: HostScript = {
  rcpt: (address) => (address.startsWith('jane@') ? '250 2.1.5 Ok' : '550 5.1.1 User unknown'),
};
const spare = '127.0.0.3';
const first = '127.0.0.2';
const dead = '127.0.0.4';

const domains = Array.from({ length: 60 }, (_, index) => `shop${index}.com`);
const emails = domains.flatMap((domain) => [`jane@${domain}`, `gone@${domain}`]);

async function vetAll(world: (domain: string) => Domain['hosts'], port: number, timeoutMs = 5000) {
  const zone = await startZone(domains.map((name) => ({ name, hosts: world(name) })));
  running.push(zone);
  return bulkRun(emails, { resolvers: [zone.address], smtpPort: port, timeoutMs });
}

const allRight = new Map(
  emails.map((email) => [email, email.startsWith('jane@') ? 'valid' : 'invalid mailbox_not_found']),
);

describe('a first mail server that many domains of one run share', () => {
  test.each<{ name: string; script: HostScript | null }>([
    { name: 'refuses the client at the banner', script: { banner: () => '554 5.7.1 No SMTP service for you here' } },
    { name: 'defers the client at the banner', script: { banner: () => '421 4.7.0 Try again later' } },
    { name: 'refuses the connection', script: null },
    { name: 'never sends data', script: { banner: () => null } },
    { name: 'disconnects at once', script: { banner: () => 'drop' } },
    { name: 'disconnects at RCPT', script: { rcpt: () => 'drop' } },
    { name: 'refuses the sender', script: { mail: () => '550 5.7.1 not you' } },
    { name: 'is not a mail server', script: { raw: (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n') } },
  ])('that $name: each domain uses its next host', async ({ script }) => {
    const { port } = await host(good, spare);
    if (script !== null) await host(script, first, port);
    const seen = await vetAll(
      (domain) => [
        { name: 'shared.com', addresses: [first] },
        { name: `mx2.${domain}`, addresses: [spare] },
      ],
      port,
    );
    expect(seen).toEqual(allRight);
  });

  test('does not use up the deadline of probes that queue for a busy second host', async () => {
    const busyHost = await host({ ...good, extensions: [] }, '127.0.0.6');
    const { port } = await slowLink(busyHost, spare);
    const seen = await vetAll(
      (domain) => [
        { name: `mx1.${domain}`, addresses: [`127.0.1.${domains.indexOf(domain) + 1}`] },
        { name: `mx2.${domain}`, addresses: [spare] },
      ],
      port,
      1500,
    );
    expect(seen).toEqual(allRight);
  });

  test.each([
    { name: 'the first', addresses: [dead, spare] },
    { name: 'the last', addresses: [spare, dead] },
    { name: 'all but one', addresses: [dead, '127.0.0.5', spare] },
  ])('is asked at another of its addresses if $name is dead', async ({ addresses }) => {
    const { port } = await host(good, spare);
    expect(await vetAll(() => [{ name: 'shared.com', addresses }], port)).toEqual(allRight);
  });
});
