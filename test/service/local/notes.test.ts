import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openLocalService } from '../../../src/service/local/local.js';
import { type DnsServer, type ServerReply, startDnsServer } from '../../fakes/dns-server.js';
import { startNetwork } from '../../fakes/network.js';

let server: DnsServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

/** The notes of a run over two domains, and their verdicts. */
async function vetTwo(resolver: string) {
  const notes: string[] = [];
  const service = await openLocalService({
    home: mkdtempSync(join(tmpdir(), 'mailvet-test-')),
    level: 'dns',
    timeoutMs: 150,
    resolvers: [resolver],
    onNote: (text) => notes.push(text),
  });
  const results = await Promise.all(['a@python.org', 'b@nodejs.org'].map((email) => service.validate(email)));
  await service.close();
  return { notes, subs: results.map(({ status, sub_status }) => `${status}/${sub_status}`) };
}

test.each<{ name: string; reply: ServerReply; isReported: boolean }>([
  { name: 'that stays silent', reply: 'silence', isReported: true },
  { name: 'that refuses everything', reply: { code: 'REFUSED' }, isReported: true },
  { name: 'that answers for another top-level domain', reply: { code: 'SERVFAIL' }, isReported: false },
])('a resolver $name is reported once: $isReported', async ({ reply, isReported }) => {
  server = await startDnsServer(({ type, name }) =>
    !isReported && type === 'NS' && name.endsWith('.com') ? { code: 'NXDOMAIN' } : reply,
  );
  const { notes, subs } = await vetTwo(server.address);
  expect(subs).toEqual(['unknown/dns_error', 'unknown/dns_error']);
  expect(notes).toEqual(
    isReported ? [expect.stringContaining(`The DNS server ${server.address} does not answer,`)] : [],
  );
});

test('a resolver that does not answer is reported, with the next step', async () => {
  const silentServer = await startDnsServer(() => 'silence');
  await silentServer.close();
  const { notes } = await vetTwo(silentServer.address);
  expect(notes).toEqual([expect.stringMatching(/--set resolvers=HOST .*"mailvet doctor"/)]);
});

const greylisted = '451 4.7.1 Greylisted, try again later';
const overloaded = '451 4.3.0 Temporary system problem';
const minute = 60_000;

test.each([
  [undefined, greylisted, 'retries greylisting after 1, 5 and 15 minutes, others after 5 and 15, or'],
  [20 * minute, overloaded, 'retries greylisting after 1, 5 and 15 minutes, others after 5 and 15, or'],
  [6 * minute, overloaded, 'retries greylisting after 1 and 5 minutes, others after 5, or'],
  [2 * minute, greylisted, 'after 1 minute, others not within greylist_wait, or'],
  [2 * minute, overloaded, 'so mailvet does not retry these addresses'],
  [minute / 2, greylisted, 'so mailvet does not retry these addresses'],
  [0, greylisted, null],
])('a wait of %s ms after "%s": the note promises the retries that take place', async (wait, reply, want) => {
  const network = await startNetwork({ rcpt: () => reply });
  const stop = new AbortController();
  const notes: string[] = [];
  const service = await openLocalService({
    home: mkdtempSync(join(tmpdir(), 'mailvet-test-')),
    ...network.options,
    ...(wait !== undefined && { greylistWaitMs: wait }),
    onNote: (text) => {
      notes.push(text);
      // An address that waits would wait for minutes.
      if (text.includes('reports such addresses at once')) stop.abort();
    },
  });
  try {
    for await (const _ of service.validateMany([['a@python.org']], { signal: stop.signal }));
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    await service.close();
    await network.stop();
  }
  expect(notes).toEqual(want === null ? [] : [expect.stringContaining(want)]);
});
