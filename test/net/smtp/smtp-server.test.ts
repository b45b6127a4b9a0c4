import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AddressInfo, Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { proberFor, request, routeTo } from '../probe/smtp-probe.js';

// The package has no types of its own.
interface SmtpServerPackage {
  SMTPServer: new (
    options: object,
  ) => { server: Server; listen(port: number, host: string, done: () => void): void; close(done: () => void): void };
}
const { SMTPServer } = createRequire(import.meta.url)('smtp-server') as SmtpServerPackage;

const messages: string[] = [];
const server = new SMTPServer({
  authOptional: true,
  key: readFileSync(new URL('../../fixtures/tls/mail-host.key', import.meta.url)),
  cert: readFileSync(new URL('../../fixtures/tls/mail-host.crt', import.meta.url)),
  onRcptTo({ address }: { address: string }, _session: unknown, done: (error?: Error) => void) {
    if (/^good/.test(address)) done();
    else done(Object.assign(new Error('5.1.1 No such user here'), { responseCode: 550 }));
  },
  onData(_stream: unknown, _session: unknown, done: () => void) {
    messages.push('a message');
    done();
  },
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise<void>((resolve) => server.close(resolve)));

test('an independent server, over TLS, answers as expected and never gets a message', async () => {
  const { port } = server.server.address() as AddressInfo;
  const prober = proberFor({ port }, { timeouts: { connectMs: 2000, bannerMs: 5000, stepMs: 5000, totalMs: 20_000 } });
  const route = routeTo({ ip: '127.0.0.1' });
  const emails = ['good1@example.com', 'bad1@example.com', 'good2@example.com', 'bad2@example.com'];
  const answers = await Promise.all(emails.map((email) => prober.probe(request(email, route))));
  expect(answers.map(({ mailbox }) => mailbox.outcome.state)).toEqual(['passed', 'failed', 'passed', 'failed']);
  expect(answers[0]?.catchAll.outcome).toBe('refused');
  expect(messages).toEqual([]);
  await prober.close();
});
