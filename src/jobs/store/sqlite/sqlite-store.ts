import type { JobStore } from '../store.js';
import { changeMark } from './change-mark.js';
import { checkWritable } from './check-writable.js';
import type { DriverName } from './driver-registry.js';
import { sqliteJobMoves, sqliteJobQueries } from './jobs-table.js';
import { sqliteKeys } from './keys-table.js';
import { openLeaseWatch } from './lease-watch.js';
import { openSqlite } from './open-sqlite.js';
import { text } from './records.js';
import { readVersion } from './schema.js';
import type { SqliteOptions } from './sqlite.js';
import { sqliteUploads } from './uploads-table.js';
import { sqliteCache } from './verdict-cache.js';

/** Opens the store in a SQLite file; safe for any number of processes of one machine. */
export async function openSqliteStore(
  path: string,
  options: SqliteOptions & { driver?: DriverName; elapsed?: () => number } = {},
): Promise<JobStore & { driver: DriverName }> {
  const sqlite = await openSqlite(path, options);
  return {
    driver: sqlite.driver,
    ...sqliteUploads(sqlite),
    ...sqliteJobQueries(sqlite),
    ...sqliteJobMoves(sqlite, openLeaseWatch(options.elapsed)),
    ...sqliteCache(sqlite),
    ...sqliteKeys(sqlite),
    changeMark: () => changeMark(path),
    checkWritable: async () => {
      await checkWritable(path);
      await sqlite.read(readVersion);
    },
    check: () =>
      sqlite.read((sql) =>
        sql
          .all('PRAGMA integrity_check')
          .map((row) => text(row, 'integrity_check'))
          .filter((line) => line !== 'ok'),
      ),
    close: () => sqlite.close(),
  };
}
