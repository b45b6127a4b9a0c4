import { expect, test } from 'vitest';
import { systemDns } from '../../../src/net/dns/dns.js';
import { mx } from '../../fakes/dns-records.js';
import { startDnsServer } from '../../fakes/dns-server.js';

test('an unanswered query frees its slot before its retry', async () => {
  const server = await startDnsServer(({ name }) =>
    name.startsWith('dead') ? 'silence' : { answers: [mx('mx.com', 10, name)] },
  );
  const dns = systemDns({ resolvers: [server.address], maxInFlight: 1, timeoutMs: 4_000 });
  const startedAt = performance.now();
  const dead = dns.mx('dead.com');
  expect(await dns.mx('good.com')).toMatchObject({ state: 'found' });
  expect(performance.now() - startedAt).toBeLessThan(3_500);
  expect(await dead).toEqual({ state: 'failed', why: 'timeout' });
  expect(await dns.mx('other.com')).toMatchObject({ state: 'found' });
  dns.close();
  await server.close();
});
