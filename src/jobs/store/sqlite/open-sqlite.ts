import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { makePrivateFolder } from '../../../disk/private-folder.js';
import { storageFailure } from '../../../disk/storage-failure.js';
import type { DriverName } from './driver-registry.js';
import { nativeSqlite, openNative } from './native.js';
import { migrate } from './schema.js';
import type { Sqlite, SqliteOptions } from './sqlite.js';
import { openWasm } from './wasm.js';

/** Opens the store's file, creating and migrating it where needed. Every error becomes a Failure. */
export async function openSqlite(path: string, options: SqliteOptions & { driver?: DriverName } = {}): Promise<Sqlite> {
  let opened: Sqlite;
  try {
    makePrivateFolder(dirname(path));
    // The log gets the permissions of the file, so the file is created first, private.
    closeSync(openSync(path, 'a', 0o600));
    const native = options.driver === 'wasm' ? null : nativeSqlite();
    opened = native === null ? await openWasm(path, options) : await openNative(native, path, options);
  } catch (error) {
    throw storageFailure(error, path);
  }
  const sqlite = withFailures(opened, path);
  try {
    await migrate(sqlite, path);
    return sqlite;
  } catch (error) {
    await sqlite.close();
    throw error;
  }
}

function withFailures(sqlite: Sqlite, path: string): Sqlite {
  const inFlight = new Set<Promise<unknown>>();
  const translated = async <T>(work: Promise<T>): Promise<T> => {
    inFlight.add(work);
    try {
      return await work;
    } catch (error) {
      throw storageFailure(error, path);
    } finally {
      inFlight.delete(work);
    }
  };
  const close = async (): Promise<void> => {
    await Promise.allSettled(inFlight);
    await translated(sqlite.close());
  };
  let closing: Promise<void> | null = null;
  return {
    driver: sqlite.driver,
    read: (work, caller) => translated(sqlite.read(work, caller)),
    write: (work, caller) => translated(sqlite.write(work, caller)),
    compact: () => translated(sqlite.compact()),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
