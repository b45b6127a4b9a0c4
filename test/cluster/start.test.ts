import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { bareEnvironment, waitForExit } from '../e2e/run-binary.js';
import { freePort } from './free-port.js';
import { startProgram } from './node.js';
import { redis, server } from './servers.js';
import { startTcpProxy } from './tcp-proxy.js';

/** `npm run test:cluster:kill` tries each moment of the start three times, in about 40 minutes. */
const isLarge = process.env['MAILVET_MATRIX'] === 'large';
const recoverMs = 15_000;
const stopMs = 10_000;
/** The share of a core that an idle process may use. */
const maxIdleShare = 0.05;

/** The CPU time of a process in milliseconds; it is counted in ticks of 10. */
function cpuMs(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ');
  return 10 * (Number(fields[13]) + Number(fields[14]));
}

interface Started {
  child: ChildProcessWithoutNullStreams;
  end: ReturnType<typeof waitForExit>;
}

function start(store: string, ...args: string[]): Started {
  const child = startProgram(args, bareEnvironment({ MAILVET_STORE: store }));
  return { child, end: waitForExit(child) };
}

/** Three workers and a node. */
async function startAll(store: string, flags: readonly string[] = []) {
  const workers = [1, 2, 3].map((number) => start(store, 'worker', '--name', `w${number}`, ...flags));
  const port = await freePort();
  const node = start(store, 'serve', '--port', String(port), '--set', 'serve.web=false', ...flags);
  return { workers, node, all: [...workers, node], readyUrl: `http://127.0.0.1:${port}/readyz` };
}

/** Stops the processes and returns their exit statuses; fails if one does not exit in time. */
async function stopAll(started: readonly Started[]): Promise<(number | null)[]> {
  const startedAt = performance.now();
  for (const { child } of started) child.kill('SIGTERM');
  const statuses = await Promise.all(started.map(async ({ end }) => (await end).status));
  expect(performance.now() - startedAt).toBeLessThan(stopMs);
  return statuses;
}

async function waitForRecovery(readyUrl: string): Promise<void> {
  const isReady = async () => {
    const [counted] = await server.run(
      'store',
      `SELECT count(*)::int AS n FROM mailvet.workers WHERE kind = 'worker' AND alive_until > mailvet.now_ms()`,
    );
    return (
      counted?.['n'] === 3 &&
      (await fetch(readyUrl).then(
        ({ ok }) => ok,
        () => false,
      ))
    );
  };
  await vi.waitUntil(isReady, { timeout: recoverMs, interval: 100 });
}

/** Waits until all are idle. A process that retries without a pause never is. */
async function waitForIdle(started: readonly Started[]): Promise<void> {
  const shares = async (): Promise<number[]> => {
    const before = started.map(({ child }) => cpuMs(child.pid));
    await sleep(2_000);
    return started.map(({ child }, index) => (cpuMs(child.pid) - (before[index] ?? 0)) / 2_000);
  };
  // The first seconds contain the last statements of the start, and garbage collection.
  for (let tries = 0; tries < 5; tries++) if (Math.max(...(await shares())) < maxIdleShare) return;
  expect(Math.max(...(await shares()))).toBeLessThan(maxIdleShare);
}

const everyMoment = Array.from({ length: 63 }, (_, index) => 100 * (index % 21));

describe.each([
  { name: 'the database', inRedis: false, delays: [0, 1_250], stops: ['database'] },
  { name: 'Redis', inRedis: true, delays: [1_000], stops: ['redis'] },
  { name: 'both', inRedis: true, delays: [1_150], stops: ['database', 'redis'] },
])('starting nodes and workers', ({ name, inRedis, delays, stops }) => {
  const crash = async (): Promise<void> => {
    if (stops.includes('database')) server.stop('immediate');
    if (stops.includes('redis')) await redis.stop();
  };
  const restart = async (): Promise<void> => {
    if (stops.includes('database')) server.start();
    if (stops.includes('redis')) await redis.start();
  };

  test.each(isLarge ? everyMoment : delays)(
    `recover if ${name} crashes after %i ms, become idle, and obey SIGTERM, even while it is down`,
    async (delayMs) => {
      const store = await server.makeStore();
      const { workers, node, all, readyUrl } = await startAll(
        store,
        inRedis ? ['--set', `queue=${redis.address}`] : [],
      );
      await sleep(delayMs);
      await crash();
      await sleep(2_000);
      await restart();
      await waitForRecovery(readyUrl);
      await waitForIdle(all);
      expect(await stopAll(workers.slice(0, 1))).toEqual([0]);
      await crash();
      try {
        expect(await stopAll([...workers.slice(1), node])).toEqual([0, 0, 0]);
      } finally {
        await restart();
      }
    },
    90_000,
  );
});

test('nodes and workers wait for a database that is down when they start, and obey SIGTERM meanwhile', async () => {
  const store = await server.makeStore();
  server.stop('fast');
  const { workers, node, all, readyUrl } = await startAll(store);
  await sleep(3_000);
  expect(all.map(({ child }) => child.exitCode)).toEqual([null, null, null, null]);
  await waitForIdle(all);
  const impatient = start(store, 'serve', '--port', '0', '--set', 'serve.web=false');
  await sleep(1_500);
  await stopAll([impatient, ...workers.slice(0, 1)]);
  server.start();
  const replacement = start(store, 'worker', '--name', 'w1');
  await waitForRecovery(readyUrl);
  expect(await stopAll([...workers.slice(1), replacement, node])).toEqual([0, 0, 0, 0]);
}, 90_000);

test.each(['the database', 'Redis', 'the database and Redis'])(
  'nodes and workers obey SIGTERM while the network delivers nothing from %s',
  async (silent) => {
    await server.makeStore();
    const database = await startTcpProxy({ path: server.socketPath });
    const queue = await startTcpProxy({ port: Number(new URL(redis.address).port), host: '127.0.0.1' });
    onTestFinished(() => {
      database.close();
      queue.close();
    });
    const flags = ['--set', `queue=redis://127.0.0.1:${queue.port}`];
    const { all, readyUrl } = await startAll(`postgres://mailvet@127.0.0.1:${database.port}/store`, flags);
    await waitForRecovery(readyUrl);
    if (silent.includes('database')) database.pause('to server', 'to client');
    if (silent.includes('Redis')) queue.pause('to server', 'to client');
    await sleep(1_000);
    expect(await stopAll(all)).toEqual([0, 0, 0, 0]);
  },
  90_000,
);
