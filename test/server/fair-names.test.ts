import { afterEach, expect, test } from 'vitest';
import { bundledEngine } from '../../src/service/local/validation.js';
import { type DnsServer, type ServerReply, startDnsServer } from '../fakes/dns-server.js';
import { ask, openServer, type TestServer } from './run-server.js';

const running: (DnsServer | TestServer)[] = [];
afterEach(async () => {
  for (const one of running.splice(0).reverse()) await ('stop' in one ? one.stop() : one.close());
});

/** Answers for names that begin with "live", and is silent for names that begin with "dead". */
function answerLiveNames({ type, name }: { type: string; name: string }): ServerReply {
  if (name.startsWith('dead')) return 'silence';
  if (type === 'NS' && name === 'com') return { answers: [{ type: 'NS', name, ttl: 60, data: 'ns.com' }] };
  if (!name.includes('live')) return { code: 'NXDOMAIN' };
  if (type === 'A') return { answers: [{ type: 'A', name, ttl: 300, data: '127.0.0.2' }] };
  const data = { preference: 10, exchange: `mx.${name}` };
  return { answers: type === 'MX' ? [{ type: 'MX', name, ttl: 300, data }] : [] };
}

/** How long an unanswered query holds its slot. */
const slotMs = 2_000;

test('a single request at level dns does not wait for thousands of dead domains of another key', async () => {
  const dns = await startDnsServer(answerLiveNames);
  running.push(dns);
  const engine = bundledEngine({ level: 'dns', resolvers: [dns.address], allowNetworks: ['127.0.0.0/8'] });
  const server = await openServer({ validation: engine, keepLog: false });
  running.push({ ...server, stop: () => server.stop().then(engine.close) });
  const { key } = await server.makeKey();
  const single = async (name: string): Promise<number> => {
    const asked = performance.now();
    const { json } = await ask(`${server.url}/validation/single?email=ada@${name}`, { key });
    expect(json).toMatchObject({ details: { dns_valid: true } });
    return performance.now() - asked;
  };
  await single('live.com');
  const quietMs = await single('live-again.com');
  const leaving = new AbortController();
  const floods = [0, 1].map((flood) => {
    const emails = Array.from({ length: 1_000 }, (_, index) => `u@dead-${flood}-${index}.com`);
    return ask(`${server.url}/validation/bulk`, { key: server.key, body: { emails }, signal: leaving.signal });
  });
  // Far more queries wait than there are slots.
  const isDead = (question: string): boolean => question.includes('dead');
  while (dns.questions.filter(isDead).length < 50) await new Promise((resolve) => setTimeout(resolve, 2));
  for (let count = 0; count < 5; count++) {
    expect(await single(`live-${count}.com`)).toBeLessThan(2 * quietMs + slotMs);
  }
  leaving.abort();
  await Promise.allSettled(floods);
});
