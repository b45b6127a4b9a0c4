import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test, vi } from 'vitest';
import { runBinary } from '../e2e/run-binary.js';
import { ask, makeKey, startNode, startProgram, submit, untilCompleted } from './node.js';
import { findPostgres, findProgram } from './packages.js';
import { redis, server } from './servers.js';

const examples = resolve(import.meta.dirname, '../../examples');

test('a dump of a running store, restored elsewhere, continues its jobs', async () => {
  const store = await server.makeStore();
  const node = await startNode(store);
  const { key } = await makeKey(node);
  const rows = Array.from({ length: 60_000 }, (_, row) => `person${row}@example${row % 7}.org`).join('\n');
  const id = await submit([node, node], key, `email\n${rows}`);
  const processed = async () => Number((await ask(node, key, `/bulk/jobs/${id}`)).json['processed']);
  await vi.waitUntil(async () => (await processed()) > 0, { timeout: 20_000, interval: 20 });
  const socket = dirname(server.socketPath);
  const connection = ['-h', socket, '-U', 'mailvet'];
  const call = (program: string, ...args: string[]): Buffer =>
    execFileSync(join(findPostgres(), program), args, { ...server.owner, cwd: socket });
  const dump = join(socket, 'store.dump');
  call('pg_dump', ...connection, '-Fc', '-f', dump, 'store');
  await node.kill();
  await server.run('postgres', 'CREATE DATABASE restored');
  call('pg_restore', ...connection, '-d', 'restored', dump);
  const restored = server.address('restored');
  const env = { ...node.env, MAILVET_STORE: restored };
  expect((await runBinary(['store', 'migrate'], { env })).status).toBe(0);
  expect(JSON.parse((await runBinary(['store', 'check', '--json'], { env })).out)).toMatchObject({ damage: [] });
  const next = await startNode(restored);
  const want = { total: 60_000, processed: 60_000, credits_used: 60_000 };
  expect(await untilCompleted(next, key, id)).toMatchObject(want);
  expect((await ask(next, key, '/credits')).json).toMatchObject({ credits: 940_000 });
  expect(await next.stop()).toBe(0);
}, 120_000);

test('the rules and the dashboard name metrics that exist, and Prometheus accepts both', async () => {
  const promtool = findProgram('promtool', 'prometheus');
  const rules = join(examples, 'prometheus/alerts.yaml');
  execFileSync(promtool, ['check', 'rules', rules]);
  const queue = `queue=${redis.address}`;
  const node = await startNode(await server.makeStore(), '--level', 'smtp', '--set', queue);
  const { key } = await makeKey(node);
  await ask(node, key, '/validation/single', { email: 'not an address' });
  startProgram(['worker', '--name', 'w1', '--set', queue], node.env);
  const read = async () => (await fetch(`${node.root}/metrics`, { headers: { 'x-api-key': key } })).text();
  // A worker reports the latency of its last heartbeat with the next one.
  await vi.waitUntil(async () => /mailvet_worker_store_seconds\{worker="w1"\} 0\.\d/.test(await read()), {
    timeout: 15_000,
    interval: 500,
  });
  const metrics = await read();
  expect(metrics).toContain('mailvet_worker_mail_hosts{worker="w1",state="down"} 0');
  execFileSync(promtool, ['check', 'metrics'], { input: metrics });
  const known = new Set([...metrics.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
  const dashboard = readFileSync(join(examples, 'grafana/mailvet.json'), 'utf8');
  const used = `${readFileSync(rules, 'utf8')} ${dashboard}`.match(/\b(?:mailvet|process)_[a-z0-9_]+/g) ?? [];
  expect(used.length).toBeGreaterThan(20);
  const isKnown = (name: string): boolean => known.has(name) || known.has(name.replace(/_(?:sum|count|bucket)$/, ''));
  expect([...new Set(used)].filter((name) => !isKnown(name))).toEqual([]);
  expect(await node.stop()).toBe(0);
});

test('systemd accepts the units', () => {
  const units = ['mailvet-serve.service', 'mailvet-worker@.service', 'mailvet-migrate.service'];
  const paths = units.map((unit) => join(examples, 'systemd', unit));
  expect(execFileSync(findProgram('systemd-analyze', 'systemd'), ['verify', ...paths], { encoding: 'utf8' })).toBe('');
});
