import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFileLock } from '../../../src/disk/file-lock.js';
import { makeKey } from '../../../src/jobs/api-keys.js';
import { createRunner } from '../../../src/jobs/run/runner.js';
import type { DriverName } from '../../../src/jobs/store/sqlite/driver-registry.js';
import { openSqlite } from '../../../src/jobs/store/sqlite/open-sqlite.js';
import { openSqliteStore } from '../../../src/jobs/store/sqlite/sqlite-store.js';
import type { JobStore } from '../../../src/jobs/store/store.js';
import { openJobFiles } from '../../../src/jobs/uploads/job-files.js';
import { lastResults, queueJob } from '../../contract/store/store-lab.js';
import { askerOf } from '../../fakes/asker.js';
import { canonical, drivers, knownAnswer, list, makeHome, openLab } from '../../fakes/job-lab.js';

describe.each(drivers)('a faulty store on %s', (driver) => {
  let home: string;
  let path: string;
  beforeEach(() => {
    home = makeHome();
    path = join(home, 'store.db');
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  test.each([
    { name: 'no database at all', spoil: () => 'this is a shopping list, and a rather long one at that\n'.repeat(40) },
    { name: 'overwritten in the middle', spoil: (good: Buffer) => Buffer.concat([good.subarray(0, 40), good.fill(7)]) },
  ])('$name is reported and stays unchanged', async ({ spoil }) => {
    const store = await openSqliteStore(path, { driver });
    await store.close();
    writeFileSync(path, spoil(readFileSync(path)));
    const before = readFileSync(path);
    await expect(openSqliteStore(path, { driver }).then((opened) => opened.listKeys())).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringContaining('damaged'),
      hint: expect.stringContaining('backup'),
    });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test.each([
    { by: 'a newer mailvet', version: 99, says: 'a newer mailvet', hint: 'Nothing was changed. Update mailvet, or ' },
    {
      by: 'a build before the first release',
      version: 15,
      says: 'an older build of mailvet',
      hint: 'Nothing was changed. Finish its jobs with that build, then delete the data directory HOME; or ',
    },
  ])('a store of $by is refused, and stays unchanged', async ({ version, says, hint }) => {
    await (await openSqliteStore(path, { driver })).close();
    const sqlite = await openSqlite(path, { driver });
    await sqlite.write((sql) => sql.run(`PRAGMA user_version = ${version}`));
    await sqlite.close();
    const before = readFileSync(path);
    await expect(openSqliteStore(path, { driver })).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringContaining(`was written by ${says} (its version is ${version}, this one needs `),
      hint: `${hint.replace('HOME', home)}set MAILVET_HOME to another directory.`,
    });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('two processes that create a store at once create it once', async () => {
    const stores = await Promise.all([1, 2, 3].map(() => openSqliteStore(path, { driver })));
    for (const [digit, store] of stores.entries()) await queueJob(store, digit);
    expect((await stores[0]?.listJobs(null, { skip: 0, limit: 5 }))?.total).toBe(3);
    for (const store of stores) await store.close();
  });

  test('an empty file is a new store only if there are no job files', async () => {
    writeFileSync(path, '');
    const store = await openSqliteStore(path, { driver });
    await store.close();
    await mkdir(join(home, 'emails'));
    writeFileSync(join(home, 'emails', 'one'), 'x');
    writeFileSync(path, '');
    await expect(openSqliteStore(path, { driver })).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringContaining('is empty'),
    });
    await rm(path);
    await (await openSqliteStore(path, { driver })).close();
  });

  test('a full disk stops the job with a message, finished rows are kept, and the job continues later', async () => {
    const lab = await openLab(driver);
    const id = await lab.submit(list(3000));
    await lab.store.close();
    const full = await openSqliteStore(lab.files.storePath, { driver, maxPages: 80 });
    const openAsker = async () => askerOf((email: string) => knownAnswer(email));
    const options = { files: lab.files, canonical, openAsker, batchRows: 100 };
    await expect(createRunner({ ...options, store: full }).runNext()).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringContaining('disk is full'),
    });
    const { processed } = (await full.getJob('local', id)) ?? { processed: 0 };
    expect(processed).toBeGreaterThan(0);
    expect((await lastResults(full, id)).length).toBe(processed);
    await full.close();
    const store = await openSqliteStore(lab.files.storePath, { driver });
    expect((await createRunner({ ...options, store }).runNext())?.end).toBe('completed');
    expect((await store.getJob('local', id))?.processed).toBe(3000);
    await store.close();
    await lab.close();
  });

  test('a disk that fills up during a reservation takes no credits', async () => {
    const { hash, record } = makeKey({ name: 'n', plan: 'p', credits: 1000, expiresAt: null }, 5);
    const store = await openSqliteStore(path, { driver });
    await store.addKey(record, hash);
    await store.close();
    const identity = 'holder'.repeat(10_000);
    const full = await openSqliteStore(path, { driver, maxPages: 1, identity });
    const reserve = [{ keyId: record.id, amount: 1 }];
    await expect(full.moveCredits({ reserve, settle: [] }, 1)).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringContaining('disk is full'),
    });
    expect((await full.listKeys())[0]?.credits).toBe(1000);
    await full.close();
  });

  test.each([
    { how: 'writes to', begin: 'BEGIN IMMEDIATE' },
    { how: 'has all to itself', begin: 'PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE' },
  ])(
    'a store that another process $how for too long is reported as busy, and can be used afterwards',
    async ({ begin }) => {
      let notices = 0;
      const onWait = (): void => {
        notices++;
      };
      const write = async (busyMs: number): Promise<void> => {
        const store = await openSqliteStore(path, { driver, busyMs, onWait });
        await store.touchKeys(new Map([['nobody', 1]])).finally(() => store.close());
      };
      await write(1000);
      const letGo = lockStore(driver, path, begin);
      await expect(write(100)).rejects.toMatchObject({
        code: 'locked',
        message: expect.stringContaining('held by another process'),
      });
      expect(notices).toBe(1);
      const waiting = write(10_000);
      letGo();
      await waiting;
    },
  );

  test('a process that writes without a pause lets others write, too', async () => {
    const [busy, other] = [await openSqliteStore(path, { driver }), await openSqliteStore(path, { driver })];
    const write = (store: JobStore): Promise<unknown> => store.touchKeys(new Map([['nobody', 1]]));
    await write(busy);
    let isServed = false;
    const served = write(other).then(() => {
      isServed = true;
    });
    // A turn is limited by time: it can contain a thousand quick writes.
    let writes = 0;
    for (; !isServed && writes < 20_000; writes++) await write(busy);
    expect(writes).toBeLessThan(20_000);
    await served;
    await busy.close();
    await other.close();
  });

  test('a directory in place of the file, and a file in place of the directory, are reported', async () => {
    await mkdir(path);
    await expect(openSqliteStore(path, { driver })).rejects.toMatchObject({ code: 'storage' });
    writeFileSync(join(home, 'file'), '');
    await expect(openSqliteStore(join(home, 'file', 'store.db'), { driver })).rejects.toMatchObject({
      code: 'storage',
    });
    expect(() => openJobFiles(join(home, 'file'))).toThrowError(expect.objectContaining({ code: 'storage' }));
  });
});

/** Locks the file as another process would; returns the function that unlocks it. */
function lockStore(driver: DriverName, path: string, begin: string): () => void {
  if (driver === 'wasm') {
    const lock = openFileLock(`${path}.mutex`);
    expect(lock.tryAcquire()).toBe(true);
    return lock.close;
  }
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite') as unknown as {
    DatabaseSync: new (file: string) => { exec(sql: string): void; close(): void };
  };
  const database = new DatabaseSync(path);
  database.exec(begin);
  return () => database.close();
}

test('a file in place of the lock of the wasm build is reported', async () => {
  const home = makeHome();
  const path = join(home, 'store.db');
  writeFileSync(`${path}.lock`, '');
  await expect(openSqliteStore(path, { driver: 'wasm' })).rejects.toMatchObject({ code: 'storage' });
  await rm(home, { recursive: true, force: true });
});
