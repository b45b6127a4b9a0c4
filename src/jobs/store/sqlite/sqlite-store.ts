import { statSync } from 'node:fs';
import { open, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { persistentSecret } from '../../../disk/persistent-secret.js';
import { newIdentity } from '../../../disk/process-identity.js';
import { storageFailure } from '../../../disk/storage-failure.js';
import { createAddressCipher } from '../address-cipher.js';
import { type JobStore, sharedTables } from '../store.js';
import { announceWorker, claimJob, openLeaseWatch, saveBatch, sqliteBackend } from './backend.js';
import type { DriverName } from './driver-registry.js';
import { openSqlite, readVersion } from './open-sqlite.js';
import type { Sqlite, SqliteOptions } from './sqlite.js';

/** Opens the store in a SQLite file; safe for any number of processes on one machine. */
export async function openSqliteStore(
  path: string,
  options: SqliteOptions & { driver?: DriverName; elapsed?: () => number; identity?: string } = {},
): Promise<JobStore & { driver: DriverName }> {
  const sqlite = await openSqlite(path, options);
  const backend = sqliteBackend(sqlite, options.identity ?? newIdentity());
  const addresses = createAddressCipher(persistentSecret(dirname(path), 'answers.key'));
  return {
    driver: sqlite.driver,
    ...sharedTables(backend, addresses),
    announceWorker: announceWorker(backend),
    claimJob: claimJob(backend, openLeaseWatch(options.elapsed)),
    saveBatch: saveBatch(backend, addresses),
    clusterStats: null,
    compact: () => compactIfWorthIt(sqlite),
    changeToken: () => changeToken(path),
    checkWritable: async () => {
      await checkWritable(path);
      await sqlite.read(readVersion);
    },
    check: () =>
      sqlite.read((sql) =>
        sql
          .all('PRAGMA integrity_check')
          .map((row) => String(row['integrity_check']))
          .filter((line) => line !== 'ok'),
      ),
    close: () => sqlite.close(),
  };
}

/** Less free space than this is soon used again. */
const minFreePages = 256;

/** Empties the log, and rewrites the file if at least a quarter of it is free. */
async function compactIfWorthIt(sqlite: Sqlite): Promise<void> {
  const [free = 0, all = 0] = await sqlite.read((sql) =>
    ['freelist_count', 'page_count'].map((name) => Number(sql.get(`PRAGMA ${name}`)?.[name])),
  );
  const vacuum = free >= minFreePages && free * 4 >= all;
  await sqlite.compact({ vacuum });
}

/** The size of the smallest write to the store. */
const testBytes = Buffer.alloc(4_096, 1);

/** Throws `storage` if the file cannot be written, or its disk is full. Writes to a second file, since a commit blocks all other transactions. */
async function checkWritable(path: string): Promise<void> {
  const testFile = `${path}.writable`;
  try {
    await (await open(path, 'r+')).close();
    // `rm` and `wx`: never write through a link.
    await rm(testFile, { force: true });
    await writeFile(testFile, testBytes, { mode: 0o600, flag: 'wx' });
    await rm(testFile, { force: true });
  } catch (error) {
    // Another process checks at the same moment.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    await rm(testFile, { force: true }).catch(() => {});
    throw storageFailure(error, path);
  }
}

/** Changes closer together than this may get the same time stamp from the file system. */
const settledMs = 100;

/** A string that differs once a SQLite file was written; null while a change is too recent to tell. */
export function changeToken(path: string, now = Date.now()): string | null {
  let token = '';
  for (const file of [path, `${path}-wal`]) {
    const stats = statSync(file, { throwIfNoEntry: false });
    // Readers create and remove an empty log.
    if (stats === undefined || stats.size === 0) continue;
    if (stats.mtimeMs > now - settledMs) return null;
    token += `${stats.ino} ${stats.size} ${stats.mtimeMs};`;
  }
  return token;
}
