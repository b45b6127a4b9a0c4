import { rmdirSync } from 'node:fs';
import type { Database, Statement } from 'node-sqlite3-wasm';
import { type FileLock, openFileLock } from './file-lock.js';
import { openPresence } from './presence.js';
import { cleanValue, type Sql, type Sqlite, type SqliteOptions, type SqlRow, untilFree } from './sqlite.js';

type WasmModule = { Database: typeof Database };

/**
 * Opens `path` by the wasm build, a transaction at a time under our own lock between processes. Its file layer takes any lock it
 * holds itself for another writer's, so it never rolls back the journal of a killed process; a write-ahead log under an exclusive lock
 * is recovered properly, but belongs to one connection, hence one connection for each transaction.
 */
export async function openWasm(path: string, options: SqliteOptions): Promise<Sqlite> {
  const loaded = (await import('node-sqlite3-wasm')) as unknown as WasmModule & { default?: WasmModule };
  const module = loaded.default ?? loaded;
  const signOff = await openPresence(`${path}.users`, 'wasm');
  const lock = openFileLock(`${path}.mutex`);
  let queue: Promise<unknown> = Promise.resolve();

  const transact = <T>(begin: string, work: (sql: Sql) => T): Promise<T> => {
    const turn = queue.then(async () => {
      await untilFree(path, options, () => (lock.tryAcquire() ? true : null));
      try {
        return runAlone(module, path, options, begin, work);
      } finally {
        lock.release();
      }
    });
    queue = turn.catch(() => {});
    return turn;
  };
  return {
    driver: 'wasm',
    read: (work) => transact('BEGIN', work),
    write: (work) => transact('BEGIN IMMEDIATE', work),
    close: () => closeWhenDone(queue, lock, signOff),
  };
}

async function closeWhenDone(queue: Promise<unknown>, lock: FileLock, signOff: () => void): Promise<void> {
  await queue;
  lock.close();
  signOff();
}

function runAlone<T>(
  module: WasmModule,
  path: string,
  options: SqliteOptions,
  begin: string,
  work: (sql: Sql) => T,
): T {
  removeDeadLock(path);
  const database = new module.Database(path);
  const statements = new Map<string, Statement>();
  try {
    // EXCLUSIVE must come first: this build has no shared memory for the log's index. FULL: see the other driver.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    if (options.maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${options.maxPages}`);
    database.exec(begin);
    const result = work(prepared(database, statements));
    finalizeAll(statements);
    database.exec('COMMIT');
    return result;
  } finally {
    finalizeAll(statements);
    // Closing rolls back what was not committed.
    database.close();
  }
}

/** Whoever made it is dead: the living hold our lock while it exists, and we hold that now. */
function removeDeadLock(path: string): void {
  try {
    rmdirSync(`${path}.lock`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function finalizeAll(statements: Map<string, Statement>): void {
  for (const statement of statements.values()) {
    try {
      statement.finalize();
    } catch {
      // Finalizing repeats the error of the last step, which has been thrown already.
    }
  }
  statements.clear();
}

function prepared(database: Database, statements: Map<string, Statement>): Sql {
  const prepare = (statement: string): Statement => {
    const known = statements.get(statement) ?? database.prepare(statement);
    statements.set(statement, known);
    return known;
  };
  return {
    run: (statement, ...values) => prepare(statement).run(values.map(cleanValue)).changes,
    get: (statement, ...values) => (prepare(statement).all(values.map(cleanValue))[0] as SqlRow | null) ?? null,
    all: (statement, ...values) => prepare(statement).all(values.map(cleanValue)) as SqlRow[],
  };
}
