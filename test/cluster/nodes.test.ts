import { beforeEach, expect, test, vi } from 'vitest';
import { runBinary } from '../e2e/run-binary.js';
import { ask, makeKey, type Node, resultsOf, startNode, submit, untilCompleted } from './node.js';
import { redis, server } from './servers.js';

let store: string;
beforeEach(async () => {
  store = await server.makeStore();
});

const single = '/validation/single';
const rowsOf = (name: string, rows: number, unique: number): string =>
  `id,email\n${Array.from({ length: rows }, (_, row) => `${row},${name}${row % unique}@example.org\n`).join('')}`;
const creditsOf = async (node: Node, key: string): Promise<unknown> =>
  (await ask(node, key, '/credits')).json['credits'];

test('keys and credits hold across nodes, and /readyz reports the state of the store', async () => {
  const [a, b] = await Promise.all([startNode(store), startNode(store)]);
  const { id, key } = await makeKey(a, 50);
  const answers = await Promise.all(
    Array.from({ length: 90 }, (_, n) => ask(n % 2 === 0 ? a : b, key, single, { email: `p${n}@example.org` })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
  expect(await creditsOf(b, key)).toBe(0);
  server.stop('fast');
  await vi.waitUntil(async () => (await fetch(`${a.root}/readyz`)).status === 503, { timeout: 10_000, interval: 200 });
  expect((await fetch(`${a.root}/healthz`)).status).toBe(200);
  const figures = await fetch(`${b.root}/metrics`, { headers: { 'x-api-key': key } });
  expect(await figures.text()).toContain('\nmailvet_store_up 0\n');
  server.start();
  await vi.waitUntil(async () => (await fetch(`${a.root}/readyz`)).status === 200, { timeout: 10_000, interval: 200 });
  await runBinary(['keys', 'revoke', id], { env: b.env });
  await vi.waitUntil(async () => (await ask(a, key, '/credits')).status === 401, { timeout: 3_000, interval: 100 });
  expect(await Promise.all([a.stop(), b.stop()])).toEqual([0, 0]);
});

test('jobs end complete and are charged once, even if nodes are killed and the database restarts', async () => {
  const start = () => startNode(store, '--set', `queue=${redis.address}`);
  const nodes = await Promise.all([1, 2, 3].map(start));
  const nodeAt = (index: number): Node => nodes[index % nodes.length] as Node;
  const { key } = await makeKey(nodeAt(0));
  const lists = Array.from({ length: 4 }, (_, n) => rowsOf(`list${n}x`, 30_000, 20_000));
  const ids = await Promise.all(lists.map((list, n) => submit([nodeAt(n), nodeAt(n + 1)], key, list)));
  await nodeAt(0).kill();
  nodes[0] = await start();
  nodeAt(1).signal('SIGSTOP');
  server.stop('immediate');
  server.start();
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  nodeAt(1).signal('SIGCONT');
  await nodeAt(2).kill();
  nodes[2] = await start();
  for (const id of ids) {
    expect(await untilCompleted(nodeAt(2), key, id, 90_000)).toMatchObject({
      total: 30_000,
      processed: 30_000,
      duplicate_count: 10_000,
      credits_used: 20_000,
    });
    const [, ...rows] = (await resultsOf(nodeAt(1), key, id)).trim().split('\n');
    expect(rows.map((row) => Number(row.split(',')[0]))).toEqual(rows.map((_, index) => index));
    expect(rows.filter((row) => /^\d+,[^,]+,\w+,/.test(row))).toHaveLength(30_000);
  }
  expect(await creditsOf(nodeAt(1), key)).toBe(1_000_000 - 4 * 20_000);
  await Promise.all(nodes.map((node) => node.stop()));
}, 240_000);
