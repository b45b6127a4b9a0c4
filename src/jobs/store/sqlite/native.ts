import type { Caller } from '../../../async/caller.js';
import { cleanValue } from '../records.js';
import { registerDriver } from './driver-registry.js';
import {
  createTransactionQueue,
  durability,
  emptyLog,
  retryWhileBusy,
  type Sql,
  type Sqlite,
  type SqliteOptions,
  type SqlRow,
} from './sqlite.js';

interface NativeStatement {
  run(...values: unknown[]): { changes: number | bigint };
  get(...values: unknown[]): SqlRow | undefined;
  all(...values: unknown[]): SqlRow[];
}

interface NativeDatabase {
  exec(sql: string): void;
  prepare(sql: string): NativeStatement;
  close(): void;
}

type NativeModule = { DatabaseSync: new (path: string) => NativeDatabase };

/** The SQLite of Node, or null before Node 22.13. */
export function nativeSqlite(): NativeModule | null {
  const warn = process.emitWarning;
  // Node 22 warns on first use that its interface is experimental.
  process.emitWarning = () => {};
  try {
    return (process.getBuiltinModule('node:sqlite') as unknown as NativeModule | undefined) ?? null;
  } catch {
    return null;
  } finally {
    process.emitWarning = warn;
  }
}

/** Opens `path` with the SQLite of Node. Processes share it by a write-ahead log and the locks of the kernel. */
export async function openNative(module: NativeModule, path: string, options: SqliteOptions): Promise<Sqlite> {
  const unregister = await registerDriver(`${path}.users`, 'node');
  let database: NativeDatabase;
  try {
    database = await retryWhileBusy(path, options, () => openOnce(module, path, options));
  } catch (error) {
    unregister();
    throw error;
  }
  const sql = createSql(database);
  const nextTurn = createTransactionQueue();
  const transact = async <T>(begin: string, work: (sql: Sql) => T, caller?: Caller): Promise<T> => {
    // The turn ends at once: waiting for another process must not block the other transactions of this one.
    (await nextTurn(caller))();
    const { value } = await retryWhileBusy(path, options, () =>
      unlessBusy(() => inTransaction(database, begin, () => ({ value: work(sql) }))),
    );
    return value;
  };
  return {
    driver: 'node',
    read: (work, caller) => transact('BEGIN', work, caller),
    write: (work, caller) => transact('BEGIN IMMEDIATE', work, caller),
    compact: async ({ vacuum }) => {
      let mustVacuum = vacuum;
      await retryWhileBusy(path, options, () =>
        unlessBusy(() => {
          if (mustVacuum) database.exec('VACUUM');
          mustVacuum = false;
          // While another process reads, the log cannot be emptied.
          return database.prepare(emptyLog).get()?.['busy'] === 0 ? true : null;
        }),
      );
    },
    close: async () => {
      database.close();
      unregister();
    },
  };
}

function openOnce(module: NativeModule, path: string, options: SqliteOptions): NativeDatabase | null {
  const database = new module.DatabaseSync(path);
  try {
    database.exec(`PRAGMA busy_timeout = 0; PRAGMA journal_mode = WAL; ${durability}`);
    if (options.maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${options.maxPages}`);
    return database;
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw error;
  }
}

function inTransaction<T>(database: NativeDatabase, begin: string, work: () => T): T {
  database.exec(begin);
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/** Null if another process holds the file, so that the caller can wait without blocking. */
function unlessBusy<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (isBusy(error)) return null;
    throw error;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && /database (?:table )?is locked|database schema is locked/.test(error.message);
}

function rollBack(database: NativeDatabase): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // On a full disk SQLite has rolled back by itself.
  }
}

function createSql(database: NativeDatabase): Sql {
  const statements = new Map<string, NativeStatement>();
  const prepare = (statement: string): NativeStatement => {
    const compiled = statements.get(statement) ?? database.prepare(statement);
    statements.set(statement, compiled);
    return compiled;
  };
  return {
    run: (statement, ...values) => Number(prepare(statement).run(...values.map(cleanValue)).changes),
    get: (statement, ...values) => prepare(statement).get(...values.map(cleanValue)) ?? null,
    all: (statement, ...values) => prepare(statement).all(...values.map(cleanValue)),
  };
}
