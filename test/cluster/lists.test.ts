import { expect, onTestFinished, test, vi } from 'vitest';
import { startMailHosts } from './matrix/mail-hosts.js';
import { runMatrix } from './matrix/matrix.js';
import { startWorker } from './matrix/workers.js';
import { ask, makeKey, startNode } from './node.js';
import { redis, server } from './servers.js';

/** Two permits, and a session of single requests of each node. */
const sessionsPerHost = 4;

test('four workers ask lists with greylisted rows, and hosts that refuse one of them', async () => {
  const { credits, hosts, singles, wrong } = await runMatrix(
    { server, redis },
    {
      ...{ nodes: 2, workers: 4, rows: 2_500, lists: 2, domains: 60, hosts: 30 },
      ...{ blockedEvery: 3, latencyMs: 5, seed: 1 },
      ...{ disruptions: {}, stopSeconds: 0, withinMs: 270_000 },
    },
  );
  expect(wrong).toEqual([]);
  expect(credits).toEqual({ unique: credits.unique, used: credits.unique, charged: credits.unique });
  expect([singles.wrong, singles.failed]).toEqual([[], 0]);
  expect(hosts.mostSessions).toBeLessThanOrEqual(sessionsPerHost);
  expect(hosts.grey).toMatchObject({ answered: hosts.grey.mailboxes, fromElsewhere: 0 });
  expect(hosts.refusals).toBeGreaterThan(0);
  // The refused worker, another one, and the nodes.
  expect(Object.keys(hosts.sources).length).toBeGreaterThanOrEqual(3);
}, 300_000);

test('a node with "ask = workers" sends the mailboxes of requests to the workers', async () => {
  const hosts = await startMailHosts({ hosts: 3, latencyMs: 1, greyMs: 0 });
  onTestFinished(hosts.close);
  const store = await server.makeStore();
  const flags = [...hosts.flags, '--set', `queue=${redis.address}`];
  const worker = startWorker(1, store, flags);
  const node = await startNode(store, ...flags, '--set', 'ask=workers');
  const { key } = await makeKey(node);
  const single = (email: string) => ask(node, key, '/validation/single', { email });
  const first = async () => (await single('good.first@d1.vetlab.com')).json['status'] === 'valid';
  await vi.waitUntil(first, { timeout: 60_000, interval: 500 });
  expect(await single('good.single@d2.vetlab.com')).toMatchObject({ status: 200, json: { status: 'valid' } });
  expect(Object.keys((await hosts.report()).sources)).toEqual([worker.source]);
  await redis.stop();
  expect((await ask(node, key, '/validation/single', { email: 'not an address' })).status).toBe(200);
  expect((await fetch(`${node.root}/readyz`)).status).toBe(200);
  await redis.start();
  await vi.waitUntil(async () => (await single('good.last@d2.vetlab.com')).json['status'] === 'valid', {
    timeout: 30_000,
    interval: 500,
  });
  expect(await Promise.all([worker.stop(), node.stop()])).toEqual([0, 0]);
}, 120_000);
