import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { bareEnvironment, runBinary, waitForExit } from '../e2e/run-binary.js';
import { freePort } from './free-port.js';
import { ask, makeKey, type Node, startNode, startProgram, submit, untilCompleted } from './node.js';
import { findProgram } from './packages.js';
import { startPostgres } from './postgres.js';
import { redis, server } from './servers.js';
import { startTcpProxy } from './tcp-proxy.js';

/** The connections of mailvet to the store, and the number of transactions so far. */
async function usage(): Promise<{ connections: number; transactions: number }> {
  const [row] = await server.run(
    'postgres',
    `SELECT (SELECT count(*)::int FROM pg_stat_activity WHERE datname = 'store') AS connections,
       xact_commit + xact_rollback AS transactions FROM pg_stat_database WHERE datname = 'store'`,
  );
  return { connections: Number(row?.['connections']), transactions: Number(row?.['transactions']) };
}

const single = (node: Node, key: string) => ask(node, key, '/validation/single', { email: 'p@example.org' });
const isReady = async (node: Node): Promise<boolean> => (await fetch(`${node.root}/readyz`)).status === 200;
const untilReady = (node: Node) => vi.waitUntil(() => isReady(node), { timeout: 15_000, interval: 200 });

test('idle processes hold at most three connections and run at most one transaction a second', async () => {
  const store = await server.makeStore();
  const workers = [1, 2, 3].map((number) => {
    const env = bareEnvironment({ MAILVET_STORE: store, MAILVET_QUEUE: redis.address });
    const child = startProgram(['worker', '--name', `w${number}`], env);
    return { child, end: waitForExit(child) };
  });
  const nodes = await Promise.all(
    [1, 2].map(() => startNode(store, '--level', 'smtp', '--set', `queue=${redis.address}`)),
  );
  await vi.waitUntil(async () => (await usage()).connections <= 15, { timeout: 40_000, interval: 1_000 });
  // Statistics are written with a delay of up to a second.
  await sleep(4_000);
  const before = await usage();
  await sleep(8_000);
  const after = await usage();
  expect(after.connections).toBeLessThanOrEqual(15);
  expect((after.transactions - before.transactions) / 8 / 5).toBeLessThanOrEqual(1);
  for (const { child } of workers) child.kill('SIGTERM');
  for (const { end } of workers) expect((await end).status).toBe(0);
  expect(await Promise.all(nodes.map((node) => node.stop()))).toEqual([0, 0]);
}, 120_000);

test('a process under load keeps to --store-connections', async () => {
  const store = await server.makeStore();
  const node = await startNode(store, '--set', 'store_connections=3');
  const { key } = await makeKey(node);
  const rows = Array.from({ length: 20_000 }, (_, row) => `person${row}@example${row % 7}.org`).join('\n');
  const job = await submit([node, node], key, `email\n${rows}`);
  let maxConnections = 0;
  let isDone = false;
  const asking = (async () => {
    while (!isDone) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => single(node, key)));
      expect(answers.map(({ status }) => status).filter((status) => status !== 200)).toEqual([]);
    }
  })();
  const processed = async () => {
    maxConnections = Math.max(maxConnections, (await usage()).connections);
    return (await ask(node, key, `/bulk/jobs/${job}`)).json['status'] === 'completed';
  };
  await vi.waitUntil(processed, { timeout: 40_000, interval: 100 });
  isDone = true;
  await asking;
  expect(maxConnections).toBeLessThanOrEqual(3);
  expect(await node.stop()).toBe(0);
});

test('processes wait until PostgreSQL has a free connection', async () => {
  const small = await startPostgres(['max_connections=8', 'superuser_reserved_connections=1']);
  onTestFinished(() => small.close());
  const store = await small.makeStore();
  const sleepingQueries = Array.from({ length: 6 }, () => small.run('store', 'SELECT pg_sleep(6)'));
  await sleep(500);
  const started = performance.now();
  const env = bareEnvironment({ MAILVET_STORE: store });
  expect(await runBinary(['keys', 'list'], { env: { ...env, PGUSER: 'app' } })).toMatchObject({ status: 0 });
  const workers = [1, 2].map((number) => {
    const args = ['worker', '--name', `w${number}`, '--level', 'syntax', '--set', 'store_connections=3'];
    const child = startProgram(args, bareEnvironment({ MAILVET_STORE: store }));
    return { child, end: waitForExit(child) };
  });
  await Promise.all(sleepingQueries);
  const alive = () => small.run('store', 'SELECT FROM mailvet.workers WHERE alive_until > mailvet.now_ms()');
  await vi.waitUntil(async () => (await alive().catch(() => [])).length === 2, { timeout: 15_000, interval: 500 });
  expect(performance.now() - started).toBeGreaterThan(5_000);
  for (const { child } of workers) child.kill('SIGTERM');
  for (const { end } of workers) expect((await end).status).toBe(0);
}, 90_000);

test('the message for a canceled statement names the setting that canceled it', async () => {
  await server.makeStore();
  await server.run('postgres', `ALTER ROLE mailvet IN DATABASE store SET statement_timeout = '300ms'`);
  onTestFinished(() => void server.run('postgres', 'ALTER ROLE mailvet IN DATABASE store RESET statement_timeout'));
  const env = bareEnvironment({ MAILVET_STORE: server.address('store') });
  const locked = server
    .run('store', 'SET statement_timeout = 0; BEGIN; LOCK TABLE mailvet.keys; SELECT pg_sleep(3)')
    .catch(() => {});
  await sleep(50);
  const { status, err } = await runBinary(['keys', 'list'], { env });
  expect(status).toBe(6);
  expect(err).toContain('longer than its statement_timeout');
  expect(err).toContain('ALTER ROLE');
  await locked;
});

test('a password that is refused is said, and not repeated', async () => {
  await server.makeStore();
  await server.run('postgres', `CREATE ROLE app LOGIN PASSWORD 'first'; GRANT mailvet TO app`);
  server.requirePassword('app');
  const env = bareEnvironment({ MAILVET_STORE: server.address('store').replace('mailvet@', 'app:second@') });
  const { status, err } = await runBinary(['keys', 'list'], { env });
  expect({ status, err }).toMatchObject({
    status: 6,
    err: expect.stringContaining('refused the user or the password'),
  });
  expect(err).not.toContain('second');
});

test('a node survives a failover to a standby that is promoted later', async () => {
  const store = await server.makeStore();
  const standby = server.startStandby();
  onTestFinished(() => standby.close());
  const proxy = await startTcpProxy({ path: server.socketPath });
  onTestFinished(() => proxy.close());
  const address = `postgres://mailvet@127.0.0.1:${proxy.port}/store`;
  const node = await startNode(address);
  const { key } = await makeKey(node);
  expect((await single(node, key)).status).toBe(200);
  const command = { env: bareEnvironment({ MAILVET_STORE: standby.address('store') }) };
  expect(await runBinary(['keys', 'create', '--name', 'k'], command)).toMatchObject({
    status: 6,
    err: expect.stringContaining('is read-only'),
  });
  await vi.waitUntil(async () => (await standby.run('store', 'SELECT FROM mailvet.keys')).length === 1, {
    timeout: 10_000,
  });
  proxy.target = { path: standby.socketPath };
  proxy.cut();
  proxy.resume();
  await vi.waitUntil(async () => !(await isReady(node)), { timeout: 10_000, interval: 200 });
  // A node that starts meanwhile waits, too.
  const starting = startNode(address);
  await sleep(2_000);
  standby.promote();
  await untilReady(node);
  const second = await starting;
  for (const each of [node, second]) expect((await single(each, key)).status).toBe(200);
  expect(node.log().match(/is read-only/g)).toHaveLength(1);
  expect(await Promise.all([node.stop(), second.stop()])).toEqual([0, 0]);
  expect(store).toContain('postgres://');
}, 90_000);

describe('behind PgBouncer', () => {
  async function startPgBouncer(mode: 'session' | 'transaction'): Promise<string> {
    const folder = dirname(server.socketPath);
    const port = await freePort();
    const [config, users] = [join(folder, `${mode}.ini`), join(folder, 'users')];
    writeFileSync(users, '"mailvet" ""\n');
    writeFileSync(
      config,
      `[databases]\nstore = host=${folder} port=5432 dbname=store user=mailvet\n` +
        `[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = any\n` +
        `auth_file = ${users}\npool_mode = ${mode}\nmax_client_conn = 50\ndefault_pool_size = 20\n`,
    );
    const child = spawn(findProgram('pgbouncer'), [config], { ...server.owner, stdio: ['ignore', 'ignore', 'pipe'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    await vi
      .waitUntil(() => log.includes('process up'), { timeout: 10_000, interval: 50 })
      .catch(() => {
        throw new Error(`PgBouncer did not start: ${log}`);
      });
    return `postgres://mailvet@127.0.0.1:${port}/store`;
  }

  test('session pooling works: requests, jobs and workers', async () => {
    await server.makeStore();
    const store = await startPgBouncer('session');
    const worker = startProgram(['worker', '--name', 'w1'], bareEnvironment({ MAILVET_STORE: store }));
    const end = waitForExit(worker);
    const node = await startNode(store);
    const { key } = await makeKey(node);
    expect((await single(node, key)).status).toBe(200);
    const job = await submit([node, node], key, 'email\na@example.org\nb@example.org\n');
    await untilCompleted(node, key, job, 20_000);
    worker.kill('SIGTERM');
    const { status, err } = await end;
    expect({ status, err }).toMatchObject({ status: 0, err: expect.not.stringContaining('fails') });
    expect(await node.stop()).toBe(0);
  });

  test('transaction pooling is refused with what to change', async () => {
    await server.makeStore();
    const env = bareEnvironment({ MAILVET_STORE: await startPgBouncer('transaction') });
    for (const args of [
      ['keys', 'list'],
      ['worker', '--name', 'w1'],
      ['serve', '--port', '0'],
    ]) {
      const { status, err } = await runBinary(args, { env });
      expect({ args, status, err }).toMatchObject({ status: 6, err: expect.stringContaining('pool_mode = session') });
    }
  });
});
