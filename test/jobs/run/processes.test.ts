import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openFileLock } from '../../../src/disk/file-lock.js';
import { openSqliteStore } from '../../../src/jobs/store/sqlite/sqlite-store.js';
import { bundleForNode } from '../../fakes/bundle.js';
import { drivers, list, makeHome, openLab } from '../../fakes/job-lab.js';
import { inFlightRows, killNine } from './kill-nine.js';

/** Processes start slowly on a busy machine. */
const patienceMs = 120_000;

let child = { path: '', remove: () => {} };
beforeAll(async () => {
  child = await bundleForNode('jobs/run/job-child.ts');
});
afterAll(() => child.remove());

const start = (...args: string[]): ChildProcess =>
  fork(child.path, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
const exitOf = async (process: ChildProcess): Promise<number | null> => (await once(process, 'exit'))[0];
const kill = async (process: ChildProcess): Promise<void> => {
  const exit = once(process, 'exit');
  process.kill('SIGKILL');
  await exit;
};

describe.each(drivers)('several processes on %s', (driver) => {
  test(
    'a worker killed again and again loses nothing it reported and asks again only what was in flight',
    async () => {
      const report = await killNine(child.path, 4, 800, driver);
      expect(report).toMatchObject({ lost: 0, wrong: 0 });
      expect(report.mostAskedAgain).toBeLessThanOrEqual(inFlightRows);
    },
    patienceMs,
  );

  test(
    'two uploads, two workers and three watchers work at the same time',
    async () => {
      const lab = await openLab(driver);
      await lab.submit(list(300));
      const paths = [lab.write(list(200), 'a.csv'), lab.write(list(250), 'b.csv')];
      const children = [
        ...[1, 2, 3].map(() => start('watch', lab.home, driver, '3')),
        ...paths.map((path) => start('upload', lab.home, driver, path)),
        ...[1, 2].map(() => start('work', lab.home, driver, '3')),
      ];
      const exits = await Promise.all(children.map(exitOf));
      expect(exits.every((code) => code === 0)).toBe(true);
      const { jobs } = await lab.store.listJobs('local', { skip: 0, limit: 10 });
      expect(jobs.map(({ state, processed, total }) => [state, processed === total])).toEqual([
        ['completed', true],
        ['completed', true],
        ['completed', true],
      ]);
      await lab.close();
    },
    patienceMs,
  );

  test('a store that a killed process had open can be opened', async () => {
    const lab = await openLab(driver);
    const holder = start('hold-store', lab.home, driver);
    await once(holder, 'message');
    await kill(holder);
    const store = await openSqliteStore(lab.files.storePath, { driver, busyMs: 2000 });
    expect((await store.listJobs('local', { skip: 0, limit: 1 })).total).toBe(0);
    await store.close();
    await lab.close();
  });
});

describe('locks between processes', () => {
  test('a live holder keeps its lock; a killed one loses it to exactly one other', async () => {
    const home = makeHome();
    const path = join(home, 'lock');
    const holder = start('hold-lock', home, 'wasm', path);
    expect((await once(holder, 'message'))[0]).toBe(true);
    const [one, two] = [openFileLock(path), openFileLock(path)];
    expect([one.tryAcquire(), two.tryAcquire()]).toEqual([false, false]);
    await kill(holder);
    expect([one.tryAcquire(), two.tryAcquire()]).toEqual([true, false]);
    one.release();
    expect(two.tryAcquire()).toBe(true);
    one.close();
    two.close();
    expect(readdirSync(home).filter((name) => name.startsWith('lock.'))).toEqual([]);
    rmSync(home, { recursive: true });
  });

  test('a lock that a killed wasm build of SQLite left is recognized', async () => {
    const lab = await openLab('wasm');
    await lab.store.close();
    mkdirSync(`${lab.files.storePath}.lock`);
    const store = await openSqliteStore(lab.files.storePath, { driver: 'wasm' });
    expect((await store.listJobs('local', { skip: 0, limit: 1 })).total).toBe(0);
    await store.close();
    expect(existsSync(`${lab.files.storePath}.lock`)).toBe(false);
    await lab.close();
  });

  test.runIf(drivers.includes('node'))('the two builds of SQLite never have the store open at once', async () => {
    const lab = await openLab('node');
    await expect(openSqliteStore(lab.files.storePath, { driver: 'wasm' })).rejects.toMatchObject({ code: 'locked' });
    await lab.store.close();
    const wasm = await openSqliteStore(lab.files.storePath, { driver: 'wasm' });
    await expect(openSqliteStore(lab.files.storePath)).rejects.toMatchObject({ code: 'locked' });
    await wasm.close();
    lab.store = await openSqliteStore(lab.files.storePath, { driver: 'node' });
    await lab.close();
  });
});
