import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeKey } from '../../../src/jobs/api-keys.js';
import { batch, claim, queueJob, result, uuid, verdict } from '../../contract/store/store-lab.js';
import { storeSuite } from '../../contract/store/store-suite.js';
import { drivers, type Lab, openLab } from '../../fakes/job-lab.js';

for (const driver of drivers) storeSuite(driver, () => openLab(driver));

describe.each(drivers)('the file of a store on %s', (driver) => {
  let lab: Lab;
  beforeEach(async () => {
    lab = await openLab(driver);
  });
  afterEach(() => lab.close());

  test('is readable by its owner only', () => {
    expect(statSync(lab.files.storePath).mode & 0o777).toBe(0o600);
    expect(statSync(lab.home).mode & 0o777).toBe(0o700);
  });

  test('that was deleted cannot be written', async () => {
    await lab.store.checkWritable();
    expect(existsSync(`${lab.files.storePath}.writable`)).toBe(false);
    rmSync(lab.files.storePath);
    await expect(lab.store.checkWritable()).rejects.toMatchObject({ code: 'storage' });
  });

  test('contains neither the addresses of answers nor a key', async () => {
    const { key, hash, record } = makeKey({ name: 'ci', plan: 'p', credits: 5, expiresAt: null }, 5);
    await lab.store.addKey(record, hash);
    const id = await queueJob(lab.store, 1);
    await claim(lab.store, 'w');
    const answers = { scope: 'dns', entries: [{ key: 'hide.me@python.org', answer: verdict }] };
    expect(await lab.store.saveBatch({ ...batch(id, 'w', []), answers })).toBe(true);
    await lab.store.close();
    const files = ['', '-wal'].map((end) => `${lab.files.storePath}${end}`).filter((file) => existsSync(file));
    for (const file of files) {
      for (const secret of ['hide.me', key]) expect(readFileSync(file).includes(secret)).toBe(false);
    }
    expect(record.prefix.length).toBeLessThan(key.length / 3);
  });

  test('leaves time for other work, however many read it at once', async () => {
    await queueJob(lab.store, 2);
    let ticks = 0;
    let longestMs = 0;
    let last = performance.now();
    const tick = (): void => {
      ticks++;
      longestMs = Math.max(longestMs, performance.now() - last);
      last = performance.now();
    };
    const timer = setInterval(tick, 1);
    const from = performance.now();
    const found = await Promise.all(Array.from({ length: 3_000 }, () => lab.store.getJob('local', uuid(2))));
    clearInterval(timer);
    expect(found.every((one) => one?.id === uuid(2))).toBe(true);
    expect(ticks).toBeGreaterThan(5);
    expect(longestMs).toBeLessThan((performance.now() - from) / 2);
  });
});

describe.each(drivers)('a job whose workers crash, in a store on %s', (driver) => {
  let lab: Lab;
  beforeEach(async () => {
    lab = await openLab(driver);
  });
  afterEach(() => lab.close());

  test('that was running at two crashes is set aside, and the next one is claimed', async () => {
    const [bad, good] = [await queueJob(lab.store, 1), await queueJob(lab.store, 2)];
    const background = { maxCrashes: 2 };
    for (let crashes = 0; crashes < 2; crashes++) {
      const dead = await lab.openDead();
      expect(await claim(dead.store, dead.worker, background)).toMatchObject({ id: bad, crashes });
    }
    expect(await claim(lab.store, 'serve', background)).toMatchObject({ id: good });
    const setAside = { state: 'failed', worker: null, error: expect.stringMatching(/crashed 2 times.*Resume it/) };
    expect(await lab.store.getJob('local', bad)).toMatchObject(setAside);
    expect(await lab.store.resumeJob('local', bad)).toMatchObject({ state: 'queued', crashes: 0, error: null });
    expect(await claim(lab.store, 'serve', background)).toMatchObject({ id: bad, state: 'running' });
  });

  test('a job does not fail after crashes with saved rows in between, or if a command names it', async () => {
    const id = await queueJob(lab.store, 1);
    for (let row = 0; row < 3; row++) {
      const dead = await lab.openDead();
      expect(await claim(dead.store, dead.worker, { maxCrashes: 2 })).toMatchObject({ id, crashes: row === 0 ? 0 : 1 });
      expect(await dead.store.saveBatch(batch(id, dead.worker, [result(row)]))).toBe(true);
    }
    for (let time = 0; time < 3; time++) {
      const dead = await lab.openDead();
      expect(await claim(dead.store, dead.worker)).toMatchObject({ id, state: 'running' });
      expect(await dead.store.saveBatch(batch(id, dead.worker, []))).toBe(true);
    }
    expect(await claim(lab.store, 'command')).toMatchObject({ id, state: 'running', crashes: 4 });
  });
});
