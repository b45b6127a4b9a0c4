import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFileLock } from '../../../src/disk/file-lock.js';
import { storageFailure } from '../../../src/disk/storage-failure.js';
import { makeKey } from '../../../src/jobs/api-keys.js';
import { createRunner } from '../../../src/jobs/run/runner.js';
import type { DriverName } from '../../../src/jobs/store/sqlite/driver-registry.js';
import { migrate, migrations, openSqlite } from '../../../src/jobs/store/sqlite/open-sqlite.js';
import { openSqliteStore } from '../../../src/jobs/store/sqlite/sqlite-store.js';
import type { JobStore } from '../../../src/jobs/store/store.js';
import { openJobFiles } from '../../../src/jobs/uploads/job-files.js';
import { queueJob } from '../../contract/store/store-lab.js';
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

  test('a store of a newer mailvet stays unchanged', async () => {
    const newer = await openSqlite(path, { driver });
    await migrate(newer, path, [...migrations, ['CREATE TABLE later (x)']]);
    await newer.close();
    await expect(openSqliteStore(path, { driver })).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringContaining('newer mailvet'),
    });
  });

  test('an older store is migrated, and its data is kept', async () => {
    const sqlite = await openSqlite(path, { driver });
    await sqlite.write((sql) => sql.run(`INSERT INTO cache VALUES ('k', '[]', 5)`));
    const steps = [...migrations, ['ALTER TABLE cache ADD COLUMN note TEXT', `UPDATE cache SET note = 'kept'`]];
    await Promise.all([migrate(sqlite, path, steps), migrate(sqlite, path, steps)]);
    expect(await sqlite.read((sql) => sql.all('SELECT key, note FROM cache').map((row) => ({ ...row })))).toEqual([
      { key: 'k', note: 'kept' },
    ]);
    await sqlite.close();
  });

  test('an upload from before read options were stored is read as before', async () => {
    const sqlite = await openSqlite(path, { driver });
    await sqlite.write((sql) => {
      for (const { name } of sql.all(`SELECT name FROM sqlite_master WHERE type = 'table'`))
        sql.run(`DROP TABLE ${name}`);
      sql.run('PRAGMA user_version = 0');
    });
    await migrate(sqlite, path, migrations.slice(0, 2));
    await sqlite.write((sql) =>
      sql.run(`INSERT INTO uploads VALUES ('u', 'local', 'a.csv', NULL, 1, 1, '["email"]', 1, 1, 5, NULL)`),
    );
    await sqlite.close();
    const store = await openSqliteStore(path, { driver });
    expect(await store.getUpload('local', 'u')).toMatchObject({ columns: ['email'], reading: {} });
    await store.close();
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

  test('a job of an older version is found in any letter case', async () => {
    const store = await openSqliteStore(path, { driver });
    const id = await queueJob(store, 1, 'local', 'Überblick.csv');
    await store.close();
    const sqlite = await openSqlite(path, { driver });
    await sqlite.write((sql) => {
      const laterMigrations = migrations.slice(7).flat().join(';');
      for (const [, index] of laterMigrations.matchAll(/CREATE INDEX (\w+)/g)) sql.run(`DROP INDEX ${index}`);
      const tables = [...laterMigrations.matchAll(/CREATE TABLE (\w+)/g)].map(([, table]) => table);
      for (const table of tables) sql.run(`DROP TABLE ${table}`);
      for (const [, table, column] of laterMigrations.matchAll(/ALTER TABLE (\w+) ADD COLUMN (\w+)/g))
        if (!tables.includes(table)) sql.run(`ALTER TABLE ${table} DROP COLUMN ${column}`);
      sql.run('PRAGMA user_version = 7');
    });
    await sqlite.close();
    const migrated = await openSqliteStore(path, { driver });
    expect((await migrated.listJobs('local', { skip: 0, limit: 5, search: 'überBLICK' })).jobs).toMatchObject([{ id }]);
    await migrated.close();
  });

  test('a suggested spelling and the password of a proxy that an older version stored leave no bytes', async () => {
    const store = await openSqliteStore(path, { driver });
    const id = await queueJob(store, 1, 'local');
    await store.close();
    const sqlite = await openSqlite(path, { driver });
    await sqlite.write((sql) => {
      sql.run(`INSERT INTO cache VALUES ('k', '["invalid","",0.9,false,"ann@gmail.com"]', 5)`);
      const settings = '{"settings":{"level":"dns","proxy":"socks5://me:hush@127.0.0.1","ai":true}}';
      sql.run(`UPDATE jobs SET options = '${settings}'`);
      sql.run('DROP TABLE answers');
      sql.run(`PRAGMA user_version = ${migrations.length - 2}`);
    });
    await sqlite.close();
    const migrated = await openSqliteStore(path, { driver });
    const bytes = ['', '-wal'].map((end) => (existsSync(path + end) ? readFileSync(path + end, 'latin1') : '')).join();
    expect(/ann@gmail|hush/.exec(bytes)).toBeNull();
    const settings = { level: 'dns', proxy: 'socks5://********@127.0.0.1', ai: true };
    expect((await migrated.getJob('local', id))?.options['settings']).toEqual(settings);
    await migrated.close();
  });

  test('a failed migration leaves the store unchanged', async () => {
    const sqlite = await openSqlite(path, { driver });
    const steps = [...migrations, ['CREATE TABLE later (x)', 'CREATE TABLE later (x)']];
    await expect(migrate(sqlite, path, steps)).rejects.toMatchObject({ code: 'storage' });
    await migrate(sqlite, path, [...migrations, ['CREATE TABLE later (x)']]);
    await sqlite.close();
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
    expect((await full.loadResults(id)).length).toBe(processed);
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

test.each([
  { text: 'attempt to write a readonly database', says: 'read-only' },
  { text: 'EROFS: read-only file system, mkdir', says: 'read-only' },
  { text: 'EACCES: permission denied, open', says: 'read-only' },
  { text: 'database or disk is full', says: 'full' },
  { text: 'ENOSPC: no space left on device, write', says: 'full' },
  { text: 'disk I/O error', says: 'full or failing' },
  { text: 'database disk image is malformed', says: 'damaged' },
  { text: 'file is not a database', says: 'damaged' },
  { text: 'unable to open database file', says: 'cannot be opened' },
])('$text: $says', ({ text, says }) => {
  const failure = storageFailure(Object.assign(new Error(text), { name: 'SQLite3Error' }), '/data/store.db');
  expect(failure.code).toBe('storage');
  expect(failure.message).toContain(says);
  expect(failure.hint).not.toBeNull();
});

test.each([new TypeError('x is undefined'), 'a text', null])(
  '%s is a bug, and not reported as a storage failure',
  (bug) => {
    let thrown: unknown = 'nothing';
    try {
      storageFailure(bug, '/data/store.db');
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBe(bug);
  },
);
