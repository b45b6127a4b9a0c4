import { existsSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ask, makeKey, type Node, resultsOf, startNode, submit, untilCompleted } from '../node.js';
import { findProgram } from '../packages.js';
import { countProcessed } from '../postgres.js';
import { redis, server } from '../servers.js';
import { startTcpProxy, type TcpProxy } from '../tcp-proxy.js';
import { findWrong, makeList, toCsv } from './lists.js';
import { type MailHosts, startMailHosts } from './mail-hosts.js';
import { startWorker, type Worker } from './workers.js';

/** These take minutes: `npm run test:cluster:kill` runs them. */
const isLarge = process.env['MAILVET_MATRIX'] === 'large';
/** A worker gives up its permits this long after it lost the database, well before another may ask its rows. */
const giveUpMs = 8_000;
const leaseMs = 15_000;

const proxied = async (): Promise<{ proxy: TcpProxy; store: string }> => {
  const proxy = await startTcpProxy({ path: server.socketPath });
  onTestFinished(() => proxy.close());
  return { proxy, store: `postgres://mailvet@127.0.0.1:${proxy.port}/store` };
};

async function startHosts(): Promise<MailHosts> {
  const hosts = await startMailHosts({ hosts: 12, latencyMs: 40, greyMs: 5_000 });
  onTestFinished(() => hosts.close());
  return hosts;
}

/** A running list and its expected result. */
async function startList(node: Node, size: number) {
  const granted = 100_000;
  const { key } = await makeKey(node, granted);
  const { rows, unique } = makeList('l', size, 24);
  const id = await submit([node, node], key, toCsv(rows));
  const processed = async (): Promise<number> => {
    const [job] = await server.run('store', countProcessed);
    return Number(job?.['processed'] ?? 0);
  };
  return {
    key,
    /** Resolves when this share of the list is done. */
    reach: (share: number) =>
      vi.waitUntil(async () => (await processed()) >= share * size, { timeout: 120_000, interval: 200 }),
    /** Expects each row once, in order and with the correct result, and each mailbox charged once, with this many single requests. */
    check: async (singles = 0) => {
      expect(await untilCompleted(node, key, id, 180_000)).toMatchObject({ credits_used: unique });
      expect(findWrong(rows, await resultsOf(node, key, id)).slice(0, 5)).toEqual([]);
      expect((await ask(node, key, '/credits')).json).toMatchObject({ credits: granted - unique - singles });
    },
  };
}

async function stopAll(node: Node, workers: readonly Worker[]): Promise<void> {
  expect(await Promise.all(workers.map((worker) => worker.stop()))).toEqual(workers.map(() => 0));
  expect(await node.stop()).toBe(0);
}

describe.runIf(isLarge)('a cluster', () => {
  test('a slow, paused, half-open or cut network loses no row, and repeats none', async () => {
    await server.makeStore();
    const hosts = await startHosts();
    const redisProxy = await startTcpProxy({ port: Number(new URL(redis.address).port), host: '127.0.0.1' });
    onTestFinished(() => redisProxy.close());
    const queue = ['--set', `queue=redis://127.0.0.1:${redisProxy.port}`];
    const [a, b, c] = [await proxied(), await proxied(), await proxied()];
    const flags = [...hosts.flags, '--set', 'concurrency=4', ...queue];
    const workers = [startWorker(1, a.store, flags), startWorker(2, b.store, flags)];
    const node = await startNode(c.store, '--set', 'serve.jobs=false', ...hosts.flags, ...queue);
    const list = await startList(node, 4_000);
    for (const { proxy } of [a, b, c]) proxy.delay(100);
    await list.reach(0.1);
    const single = await ask(node, list.key, '/validation/single', { email: 'good.single@d1.vetlab.com' });
    expect(single).toMatchObject({ status: 200, json: { status: 'valid' } });
    await list.reach(0.2);
    for (const { proxy } of [a, b, c]) proxy.delay(0);

    // The first worker loses the database, but not its mail hosts.
    const asked = async () => (await hosts.report()).sources['127.0.0.2'] ?? 0;
    a.proxy.pause('to server', 'to client');
    await sleep(giveUpMs + 3_000);
    const before = await asked();
    await sleep(leaseMs - giveUpMs);
    expect(await asked()).toBe(before);
    a.proxy.resume();

    // One direction is lost: statements arrive and their answers do not, or the reverse.
    await list.reach(0.4);
    for (const [direction, share] of [
      ['to client', 0.5],
      ['to server', 0.6],
    ] as const) {
      for (const proxy of [b.proxy, redisProxy]) proxy.pause(direction);
      await sleep(4_000);
      for (const proxy of [b.proxy, redisProxy]) proxy.resume();
      await list.reach(share);
    }
    for (const proxy of [b.proxy, c.proxy, redisProxy]) proxy.cut();
    await sleep(2_000);
    for (const proxy of [b.proxy, c.proxy, redisProxy]) proxy.resume();
    await list.check(1);
    await stopAll(node, workers);
  }, 400_000);
});

test.runIf(isLarge)(
  'clocks that are an hour off change nothing',
  async () => {
    findProgram('faketime');
    const folder = readdirSync('/usr/lib').map((name) => `/usr/lib/${name}/faketime/libfaketime.so.1`);
    const library = folder.find(existsSync) ?? '';
    const off = (hours: string) => ({ LD_PRELOAD: library, FAKETIME: hours, FAKETIME_DONT_FAKE_MONOTONIC: '1' });
    const store = await server.makeStore();
    const hosts = await startHosts();
    const flags = [...hosts.flags, '--set', `queue=${redis.address}`];
    const workers = [startWorker(1, store, flags, off('+1h')), startWorker(2, store, flags, off('-1h'))];
    const node = await startNode(store, '--set', 'serve.jobs=false', ...flags);
    const started = Date.now();
    const list = await startList(node, 1_000);
    await list.check();
    // It waits for greylists of five seconds, not for an hour.
    expect(Date.now() - started).toBeLessThan(120_000);
    const [{ ahead, behind } = {}] = await server.run(
      'store',
      `SELECT max(started_at) - mailvet.now_ms() AS ahead, mailvet.now_ms() - min(started_at) AS behind FROM mailvet.workers`,
    );
    expect([Number(ahead), Number(behind)].every((ms) => ms < 600_000)).toBe(true);
    await stopAll(node, workers);
  },
  180_000,
);
