import { afterAll, describe, expect, test } from 'vitest';
import { Failure } from '../../src/model/failure.js';
import { systemDns } from '../../src/net/dns/dns.js';
import { openRemoteService } from '../../src/service/remote/remote.js';
import { jumpingClock } from '../fakes/clock.js';
import { mx, soa } from '../fakes/dns-records.js';
import { type DnsServer, type ServerReply, startDnsServer } from '../fakes/dns-server.js';
import { type FakeService, startFakeService } from '../fakes/fake-service.js';
import { type FaultProxy, startDnsFaultProxy, startTcpFaultProxy } from '../fakes/fault-proxy.js';
import { type HostScript, type SmtpHost, startSmtpHost } from '../fakes/smtp-host.js';
import { FaultMatrix, faultsAt } from './fault-matrix.js';
import { bulkRun, type Domain, startZone } from './mail-zone.js';

type Server = SmtpHost | DnsServer | FaultProxy | FakeService;

/** Returns a function that closes a server at the end of the test. */
function closeAfterTest(onTestFinished: (end: () => Promise<void>) => void) {
  return <Started extends Server>(server: Started): Started => {
    onTestFinished(() => ('stop' in server ? server.stop() : server.close()));
    return server;
  };
}

const matrix = new FaultMatrix(
  faultsAt({ start: 0, middle: 0 }).map(({ name }) => name),
  ['SMTP', 'DNS', 'HTTP'],
);
afterAll(() => {
  const file = process.env['MAILVET_FAULT_MATRIX'];
  const heading =
    'Seen for a mailbox that exists · one that does not · one of a domain that takes everything; one entry where all are alike.';
  if (file !== undefined) matrix.write(file, heading);
});

/** Only `jane` exists; every mailbox exists at a domain named all…. */
const script: HostScript = {
  rcpt: (address) =>
    address.startsWith('jane@') || address.includes('@all') ? '250 2.1.5 Ok' : '550 5.1.1 User unknown',
};
const hostIp = '127.0.0.2';
const names = ['one.com', 'two.com', 'three.com'];
const kinds = [
  { kind: 'exists', emails: names.map((name) => `jane@${name}`), honest: ['valid', 'unknown'] },
  { kind: 'does not', emails: names.map((name) => `gone@${name}`), honest: ['invalid', 'unknown'] },
  { kind: 'catch-all', emails: names.map((name) => `jane@all${name}`), honest: ['risky', 'unknown'] },
];
const domains = [...names, ...names.map((name) => `all${name}`)].map((name) => ({
  name,
  hosts: [{ name: `mx.${name}`, addresses: [hostIp] }],
}));
const engineOptions = { timeoutMs: 900, concurrency: 300 };

function checkVerdicts(fault: string, path: string, seen: ReadonlyMap<string, string>): void {
  const outcomes = kinds.map(({ emails, honest }) => {
    const verdicts = emails.map((email) => seen.get(email) ?? 'no answer');
    for (const verdict of verdicts) expect(honest, `${fault} on ${path}: ${verdict}`).toContain(verdict.split(' ')[0]);
    return [...new Set(verdicts)].map((verdict) => verdict.replace(/ (\w+)$/, ' ($1)')).join(' or ');
  });
  matrix.note(fault, path, outcomes);
}

const allEmails = kinds.flatMap(({ emails }) => emails);

describe('a bulk run ends, and no network fault causes a verdict', () => {
  test.concurrent.for(faultsAt({ start: 4, middle: 90 }))('SMTP: $name', async ({ name, plan }, { onTestFinished }) => {
    const closing = closeAfterTest(onTestFinished);
    const host = closing(await startSmtpHost(script));
    const proxy = closing(await startTcpFaultProxy(host, plan, { ip: hostIp }));
    const zone = closing(await startZone(domains));
    const seen = await bulkRun(allEmails, { ...engineOptions, resolvers: [zone.address], smtpPort: proxy.port });
    checkVerdicts(name, 'SMTP', seen);
  });

  test.concurrent.for(faultsAt({ start: 2, middle: 40 }))('DNS: $name', async ({ name, plan }, { onTestFinished }) => {
    const closing = closeAfterTest(onTestFinished);
    const host = closing(await startSmtpHost(script, { ip: hostIp }));
    const zone = closing(await startZone(domains));
    const proxy = closing(await startDnsFaultProxy(zone.address, plan));
    const seen = await bulkRun(allEmails, { ...engineOptions, resolvers: [proxy.address], smtpPort: host.port });
    checkVerdicts(name, 'DNS', seen);
  });

  const sent = [
    { email: 'jane@one.com', want: 'valid' },
    { email: 'bad@one.com', want: 'invalid' },
    { email: 'risky@one.com', want: 'risky' },
  ];
  test.concurrent.for(faultsAt({ start: 4, middle: 250 }))(
    'HTTP: $name',
    async ({ name, plan }, { onTestFinished }) => {
      const closing = closeAfterTest(onTestFinished);
      const service = closing(await startFakeService());
      const port = Number(new URL(service.url).port);
      const proxy = closing(await startTcpFaultProxy({ ip: '127.0.0.1', port }, plan));
      const seen = await askService(
        proxy,
        service,
        sent.map(({ email }) => email),
      );
      if (seen instanceof Failure) {
        expect(['network', 'bad_answer', 'billed_perhaps']).toContain(seen.code);
        matrix.note(name, 'HTTP', [`no verdict, error \`${seen.code}\``]);
      } else {
        expect(seen).toEqual(sent.map(({ want }) => want));
        matrix.note(name, 'HTTP', seen);
      }
    },
  );
});

describe('a cut at every byte', () => {
  const ways = [
    { name: 'cut', way: 'cut', tls: false, step: 1 },
    { name: 'reset', way: 'reset', tls: false, step: 1 },
    { name: 'half-open', way: 'half_open', tls: false, step: 1 },
    { name: 'cut, with TLS', way: 'cut', tls: true, step: 29 },
  ] as const;
  test.for(ways)('of an SMTP dialogue ($name) leaves no false verdict', async (fault, { onTestFinished }) => {
    const closing = closeAfterTest(onTestFinished);
    const host = closing(await startSmtpHost(fault.tls ? { ...script, starttls: 'works' } : script));
    const whole = closing(await startTcpFaultProxy(host, () => ({ kind: 'none' }), { ip: '127.1.0.1' }));
    const wholeZone = closing(await startZone([domainAt('whole.com', '127.1.0.1')]));
    const wholeRun = { ...engineOptions, timeoutMs: 30_000, resolvers: [wholeZone.address], smtpPort: whole.port };
    const mailboxes = ['jane', 'gone', 'gone2'];
    await bulkRun(
      mailboxes.map((name) => `${name}@whole.com`),
      wholeRun,
    );
    const steps = Math.ceil(whole.bytes / fault.step);
    expect(steps).toBeGreaterThan(50);

    const offsets = Array.from({ length: steps + 1 }, (_, index) => index * fault.step);
    const ipOf = (offset: number) => `127.2.${(offset >> 7) + 1}.${(offset & 127) + 1}`;
    await Promise.all(
      offsets.map(async (after) =>
        closing(
          await startTcpFaultProxy(host, () => ({ kind: fault.way, after }), { ip: ipOf(after), port: whole.port }),
        ),
      ),
    );
    const zone = closing(await startZone(offsets.map((offset) => domainAt(`cut${offset}.com`, ipOf(offset)))));
    const emails = offsets.flatMap((offset) => mailboxes.map((name) => `${name}@cut${offset}.com`));
    // Hosts that disconnect free their slots at once; silent ones wait concurrently.
    const manners = fault.way === 'half_open' ? engineOptions : { timeoutMs: 30_000, concurrency: 40 };
    const seen = await bulkRun(emails, { ...manners, resolvers: [zone.address], smtpPort: whole.port });
    const falseVerdicts = emails.filter((email) => {
      const status = seen.get(email)?.split(' ')[0];
      return status !== 'unknown' && status !== (email.startsWith('jane@') ? 'valid' : 'invalid');
    });
    expect(falseVerdicts).toEqual([]);
    if (fault.way !== 'half_open') {
      expect(seen.get(`jane@cut${offsets.at(-1)}.com`)).toBe('valid');
      // A lost connection is noticed at once.
      expect([...seen.values()].filter((verdict) => verdict.includes('timeout'))).toEqual([]);
    }
    expect(seen.get('jane@cut0.com')).toMatch(/^unknown/);
  });

  const answers: Record<string, ServerReply> = {
    'found.com': { answers: [mx('mx1.found.com', 10, 'found.com'), mx('mx2.found.com', 20, 'found.com')] },
    'empty.com': { authorities: [soa()] },
    'denied.com': { code: 'NXDOMAIN', authorities: [soa()] },
  };
  test.for(Object.keys(answers).flatMap((name) => (['udp', 'tcp'] as const).map((via) => ({ name, via }))))(
    'of the DNS answer for $name over $via leaves it whole or failed',
    async ({ name, via }, { onTestFinished }) => {
      const closing = closeAfterTest(onTestFinished);
      const server = closing(
        await startDnsServer((question) =>
          via === 'tcp' && question.via === 'udp' ? 'truncated' : (answers[question.name] ?? 'silence'),
        ),
      );
      const answerThrough = async (address: string) => {
        const dns = systemDns({ resolvers: [address], timeoutMs: via === 'udp' ? 1_500 : 5_000 });
        const answer = await dns.mx(name);
        dns.close();
        return answer;
      };
      const fullAnswer = await answerThrough(server.address);
      const cutAt = async (after: number) => {
        // For TCP, the truncated UDP answer comes first, and is complete.
        const proxy = await startDnsFaultProxy(server.address, {
          udp: () => (via === 'udp' ? { kind: 'cut', after } : { kind: 'none' }),
          tcp: () => ({ kind: 'cut', after }),
        });
        const answer = await answerThrough(proxy.address);
        await proxy.stop();
        return answer;
      };
      const seen = [];
      for (let offset = 0; offset < 110; offset += 22) {
        seen.push(...(await Promise.all(Array.from({ length: 22 }, (_, index) => cutAt(offset + index)))));
      }
      for (const answer of seen) if (answer.state !== 'failed') expect(answer).toEqual(fullAnswer);
      expect(seen.at(0)?.state).toBe('failed');
      expect(seen.at(-1)).toEqual(fullAnswer);
    },
  );

  test('of an HTTP response results in the verdict or in none', async ({ onTestFinished }) => {
    const closing = closeAfterTest(onTestFinished);
    const service = closing(await startFakeService());
    const port = Number(new URL(service.url).port);
    const proxy = closing(
      await startTcpFaultProxy({ ip: '127.0.0.1', port }, (nth) => ({ kind: 'cut', after: nth - 1 })),
    );
    let verdicts = 0;
    for (let offset = 0; verdicts === 0 && offset < 1000; offset++) {
      const seen = await askService(proxy, service, ['bad@one.com'], 0);
      if (seen instanceof Failure) expect(['network', 'bad_answer', 'billed_perhaps']).toContain(seen.code);
      else expect(seen).toEqual(['invalid']);
      if (!(seen instanceof Failure)) verdicts++;
    }
    expect(verdicts).toBe(1);
    expect(proxy.connections).toBeGreaterThan(200);
  });
});

function domainAt(name: string, ip: string): Domain {
  return { name, hosts: [{ name: `mx.${name}`, addresses: [ip] }] };
}

async function askService(
  proxy: FaultProxy,
  service: FakeService,
  emails: readonly string[],
  retries = 1,
): Promise<string[] | Failure> {
  const remote = await openRemoteService({
    baseUrl: `http://127.0.0.1:${proxy.port}`,
    apiKey: service.apiKey,
    timeoutMs: 700,
    retries,
    clock: jumpingClock(),
  });
  const verdicts: string[] = [];
  try {
    for await (const answers of remote.validateMany([emails])) {
      for (const { result } of answers) verdicts.push(result.status);
    }
    return verdicts;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  } finally {
    await remote.close();
  }
}
