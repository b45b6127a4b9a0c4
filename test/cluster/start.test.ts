import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { bareEnvironment, waitForExit } from '../e2e/run-binary.js';
import { startProgram } from './node.js';
import { type Postgres, startPostgres } from './postgres.js';

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
}, 120_000);
afterAll(() => server?.close());

/** The CPU time of a process, in ticks of 10 ms. */
function cpuTicks(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ');
  return Number(fields[13]) + Number(fields[14]);
}

interface Started {
  child: ChildProcessWithoutNullStreams;
  end: ReturnType<typeof waitForExit>;
}

function startAll(store: string): Started[] {
  return [1, 2, 3].map((number) => {
    const child = startProgram(['worker', '--name', `w${number}`], bareEnvironment({ MAILVET_STORE: store }));
    return { child, end: waitForExit(child) };
  });
}

async function stopAll(workers: readonly Started[]): Promise<number[]> {
  const startedAt = performance.now();
  for (const { child } of workers) child.kill('SIGTERM');
  for (const { end } of workers) await end;
  return [performance.now() - startedAt];
}

test.each([0, 600, 1_000, 1_150, 1_300, 1_500, 2_000])(
  'workers recover if the database crashes %i ms after their start, rest, and obey SIGTERM',
  async (delayMs) => {
    const store = await server.makeStore();
    const workers = startAll(store);
    await sleep(delayMs);
    server.stop('immediate');
    await sleep(2_000);
    server.start();
    const registered = async () => {
      const rows = await server.run(
        'store',
        `SELECT name FROM mailvet.workers WHERE kind = 'worker' AND alive_until > mailvet.now_ms()`,
      );
      return rows.length;
    };
    await vi.waitUntil(async () => (await registered()) === 3, { timeout: 30_000, interval: 200 });
    // The last statements of the start, and the garbage of it.
    await sleep(3_000);
    const before = workers.map(({ child }) => cpuTicks(child.pid));
    await sleep(2_000);
    const shares = workers.map(({ child }, index) => (cpuTicks(child.pid) - (before[index] ?? 0)) / 200);
    for (const share of shares) expect(share).toBeLessThan(0.25);
    const [stopMs] = await stopAll(workers);
    expect(stopMs).toBeLessThan(15_000);
    expect(await Promise.all(workers.map(async ({ end }) => (await end).status))).toEqual([0, 0, 0]);
  },
  90_000,
);

test('workers wait for a database that is away at their start, and obey SIGTERM meanwhile', async () => {
  const store = await server.makeStore();
  server.stop('fast');
  const workers = startAll(store);
  await sleep(3_000);
  expect(workers.map(({ child }) => child.exitCode)).toEqual([null, null, null]);
  await stopAll(workers.slice(0, 2));
  server.start();
  const [last] = workers.slice(2);
  const rows = () => server.run('store', `SELECT FROM mailvet.workers WHERE name = 'w3'`);
  await vi.waitUntil(async () => (await rows()).length === 1, { timeout: 30_000, interval: 200 });
  last?.child.kill('SIGTERM');
  expect((await last?.end)?.status).toBe(0);
}, 90_000);
