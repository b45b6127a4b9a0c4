import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { makePrivateFolder } from '../../../disk/private-folder.js';
import { storageFailure } from '../../../disk/storage-failure.js';
import type { DriverName } from './driver-registry.js';
import { nativeSqlite, openNative } from './native.js';
import { migrate } from './schema.js';
import type { Sqlite, SqliteOptions } from './sqlite.js';
import { openWasm } from './wasm.js';

/** Opens the store's file, made and brought up to date where needed. Every error comes out as a Failure. */
export async function openSqlite(path: string, options: SqliteOptions & { driver?: DriverName } = {}): Promise<Sqlite> {
  let opened: Sqlite;
  try {
    makePrivateFolder(dirname(path));
    // SQLite gives its log the rights of the file, so the file is made first, for its owner alone.
    closeSync(openSync(path, 'a', 0o600));
    const native = options.driver === 'wasm' ? null : nativeSqlite();
    opened = native === null ? await openWasm(path, options) : await openNative(native, path, options);
  } catch (error) {
    throw storageFailure(error, path);
  }
  const sqlite = translating(opened, path);
  try {
    await migrate(sqlite, path);
    return sqlite;
  } catch (error) {
    await sqlite.close();
    throw error;
  }
}

function translating(sqlite: Sqlite, path: string): Sqlite {
  const underWay = new Set<Promise<unknown>>();
  const translated = async <T>(work: Promise<T>): Promise<T> => {
    underWay.add(work);
    try {
      return await work;
    } catch (error) {
      throw storageFailure(error, path);
    } finally {
      underWay.delete(work);
    }
  };
  const close = async (): Promise<void> => {
    await Promise.allSettled(underWay);
    await translated(sqlite.close());
  };
  let closing: Promise<void> | null = null;
  return {
    driver: sqlite.driver,
    read: (work, share) => translated(sqlite.read(work, share)),
    write: (work, share) => translated(sqlite.write(work, share)),
    compact: () => translated(sqlite.compact()),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
