import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeKey } from '../../../src/jobs/api-keys.js';
import { batch, claim, queueJob, uuid, verdict } from '../../contract/store/store-lab.js';
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
