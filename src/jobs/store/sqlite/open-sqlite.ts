import { closeSync, existsSync, openSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makePrivateFolder } from '../../../disk/private-folder.js';
import { storageFailure } from '../../../disk/storage-failure.js';
import { Failure } from '../../../model/failure.js';
import { otherVersion, schemaVersion, sharedSchema, sqliteDialect } from '../schema.js';
import type { DriverName } from './driver-registry.js';
import { nativeSqlite, openNative } from './native.js';
import type { Sql, Sqlite, SqliteOptions } from './sqlite.js';
import { openWasm } from './wasm.js';

/** Opens the store's file, creating its tables if needed. Errors of the disk and of SQLite become a Failure. */
export async function openSqlite(path: string, options: SqliteOptions & { driver?: DriverName } = {}): Promise<Sqlite> {
  let opened: Sqlite;
  try {
    makePrivateFolder(dirname(path));
    refuseEmptied(path);
    // The log gets the permissions of the file, so the file is created first, private.
    closeSync(openSync(path, 'a', 0o600));
    const native = options.driver === 'wasm' ? null : nativeSqlite();
    opened = native === null ? await openWasm(path, options) : await openNative(native, path, options);
  } catch (error) {
    throw storageFailure(error, path);
  }
  const sqlite = withFailures(opened, path);
  try {
    await createSchema(sqlite, path);
    return sqlite;
  } catch (error) {
    await sqlite.close();
    throw error;
  }
}

/** A crash at the first start may leave an empty file; in a directory that was used, an empty store has lost its jobs. */
function refuseEmptied(path: string): void {
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size;
  if (sizeOf(path) !== 0 || (sizeOf(`${path}-wal`) ?? 0) > 0) return;
  const folder = dirname(path);
  if (
    !['uploads', 'emails'].some((name) => existsSync(join(folder, name)) && readdirSync(join(folder, name)).length > 0)
  )
    return;
  throw new Failure('storage', `The job store ${path} is empty, although there are files of jobs next to it.`, {
    hint: 'Restore it from a backup, or remove the file to begin with an empty store.',
  });
}

function withFailures(sqlite: Sqlite, path: string): Sqlite {
  const inFlight = new Set<Promise<unknown>>();
  const withFailure = async <T>(work: Promise<T>): Promise<T> => {
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
    await withFailure(sqlite.close());
  };
  let closing: Promise<void> | null = null;
  return {
    driver: sqlite.driver,
    read: (work, caller) => withFailure(sqlite.read(work, caller)),
    write: (work, caller) => withFailure(sqlite.write(work, caller)),
    compact: (options) => withFailure(sqlite.compact(options)),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** Creates the tables of an empty file. Throws for the store of another version. */
async function createSchema(sqlite: Sqlite, path: string): Promise<void> {
  const version = await sqlite.read(readVersion);
  if (version === schemaVersion) return;
  if (version !== 0) {
    const remove = `delete the data directory ${dirname(path)}`;
    throw otherVersion(`The job store ${path}`, version, {
      remove,
      elsewhere: 'set MAILVET_HOME to another directory',
    });
  }
  await sqlite.write((sql) => {
    // Another process may have created them meanwhile.
    if (readVersion(sql) !== 0) return;
    for (const statement of sharedSchema(sqliteDialect).split(';')) sql.run(statement);
    sql.run(`PRAGMA user_version = ${schemaVersion}`);
  });
}

export function readVersion(sql: Sql): number {
  return Number(sql.get('PRAGMA user_version')?.['user_version'] ?? 0);
}
