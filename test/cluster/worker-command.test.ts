import { expect, test, vi } from 'vitest';
import { openPostgres } from '../../src/jobs/store/postgres/postgres-store.js';
import { bareEnvironment, waitForExit } from '../e2e/run-binary.js';
import { ask, makeKey, startNode, startProgram, submit, untilCompleted } from './node.js';
import { server } from './servers.js';

test('a node with --no-jobs leaves jobs to workers, and a stopped worker returns its job', async () => {
  const store = await server.makeStore();
  const node = await startNode(store, '--set', 'serve.jobs=false');
  const { key } = await makeKey(node);
  const rows = Array.from({ length: 90_000 }, (_, row) => `p${row}@example.org\n`);
  const id = await submit([node, node], key, `email\n${rows.join('')}`);
  const readJob = async () => (await ask(node, key, `/bulk/jobs/${id}`)).json;
  expect((await readJob())['status']).toBe('queued');
  const startWorker = () => startProgram(['worker', '--level', 'syntax'], bareEnvironment({ MAILVET_STORE: store }));
  const first = startWorker();
  const firstEnd = waitForExit(first);
  await vi.waitUntil(async () => (await readJob())['status'] !== 'queued', { timeout: 30_000, interval: 20 });
  first.kill('SIGTERM');
  expect(await firstEnd).toMatchObject({ status: 0 });
  expect(['queued', 'completed']).toContain((await readJob())['status']);
  const second = startWorker();
  const secondEnd = waitForExit(second);
  expect(await untilCompleted(node, key, id)).toMatchObject({
    processed: 90_000,
    duplicate_count: 0,
    credits_used: 90_000,
  });
  // The first one may have done all of it.
  const isRegistered = `SELECT FROM mailvet.workers WHERE kind = 'worker'`;
  await vi.waitUntil(async () => (await server.run('store', isRegistered)).length === 1, { timeout: 20_000 });
  second.kill('SIGTERM');
  expect((await secondEnd).status).toBe(0);
  expect(await server.run('store', 'SELECT count(*)::int AS n FROM mailvet.workers')).toEqual([{ n: 1 }]);
  await node.stop();
}, 120_000);

test('two live workers cannot have the same name, and the name of a killed one is free', async () => {
  const address = await server.makeStore();
  const beatMs = 200;
  const processInfo = { kind: 'worker', name: 'w1', sourceIp: '127.0.0.2' } as const;
  const first = await openPostgres(address, { processInfo, beatMs });
  const twin = openPostgres(address, { processInfo, beatMs });
  await expect(twin).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('w1 is already running'),
  });
  const seen = () => server.run('store', 'SELECT name, kind, source_ip FROM mailvet.workers');
  expect(await seen()).toEqual([{ name: 'w1', kind: 'worker', source_ip: '127.0.0.2' }]);
  expect(await first.store.clusterStats?.()).toMatchObject({
    workers: [{ name: 'w1', isAlive: true, sourceIp: '127.0.0.2', slices: 0, blocks: 0 }],
    stalledJobs: 0,
  });
  await first.store.close();
  const killed = await openPostgres(address, { processInfo, beatMs: 2 ** 31 - 1 });
  const next = await openPostgres(address, { processInfo, beatMs });
  expect(await seen()).toHaveLength(1);
  await Promise.all([killed.store.close(), next.store.close()]);
});
