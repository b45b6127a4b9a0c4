import { existsSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import type { Database, Statement } from 'node-sqlite3-wasm';
import type { Caller } from '../../../async/caller.js';
import { openFileLock } from '../../../disk/file-lock.js';
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

type WasmModule = { Database: typeof Database };

/** A connection that is open while this process holds the lock. */
interface Session {
  openedAt: number;
  database: Database;
  statements: Map<string, Statement>;
}

/** How long an idle connection stays open, since opening costs more than most transactions. */
const idleMs = 500;
/** How often an idle connection checks whether another process wants the file. */
const pollMs = 15;
/** The shortest turn of a holder, since opening the file costs more than a few transactions. */
const turnMs = 50;
/** How long to leave the file to others: longer than they sleep between two attempts. */
const yieldMs = 60;
/** V8 then does not optimize SQLite's largest functions, which takes a second and delays the exit of the process. */
const optimizeAfterBytes = 1_000_000_000;

/**
 * Opens `path` with the wasm build, under a lock file between processes. Its file layer takes its own lock for that of another
 * writer and never rolls back the journal of a killed process. A write-ahead log under an exclusive lock is recovered, but allows
 * one connection, so a connection lives only for a few transactions.
 */
export async function openWasm(path: string, options: SqliteOptions): Promise<Sqlite> {
  setFlagsFromString(`--wasm-tiering-budget=${optimizeAfterBytes}`);
  const { default: module } = (await import('node-sqlite3-wasm')) as unknown as { default: WasmModule };
  const unregister = await registerDriver(`${path}.users`, 'wasm');
  const lock = openFileLock(`${path}.mutex`);
  const wantedFile = `${path}.wanted`;
  let session: Session | null = null;
  let timer: NodeJS.Timeout | undefined;
  const nextTurn = createTransactionQueue();
  /** Other processes go first until then. */
  let othersUntil = 0;

  const closeFile = (): void => {
    clearTimeout(timer);
    const open = session;
    session = null;
    try {
      if (open !== null) closeSession(open);
    } finally {
      lock.release();
    }
  };
  /** Leaves the file to the other processes for a while. */
  const yieldFile = (): void => {
    closeFile();
    othersUntil = performance.now() + yieldMs;
  };
  const mustYield = ({ openedAt }: Session): boolean => performance.now() - openedAt > turnMs && existsSync(wantedFile);
  const waitIdle = (deadline = performance.now() + idleMs): void => {
    timer = setTimeout(() => {
      const isWanted = existsSync(wantedFile);
      if (!isWanted && performance.now() < deadline) {
        waitIdle(deadline);
        return;
      }
      try {
        if (isWanted) yieldFile();
        else closeFile();
      } catch {
        // All is committed, and the next transaction reports the same failure.
      }
    }, pollMs);
  };
  const enter = async (): Promise<Session> => {
    clearTimeout(timer);
    if (session !== null && mustYield(session)) yieldFile();
    if (session !== null) return session;
    const delayMs = othersUntil - performance.now();
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    await retryWhileBusy(path, options, () => {
      if (lock.tryAcquire()) return true;
      requestFile(wantedFile);
      return null;
    });
    // Others that wait request it again.
    rmSync(wantedFile, { force: true });
    session = openSession(module, path, options);
    return session;
  };
  const transact = <T>(begin: string, work: (sql: Sql) => T, caller?: Caller): Promise<T> =>
    inTurn((opened) => runIn(opened, begin, work), caller);
  const inTurn = async <T>(work: (opened: Session) => T, caller?: Caller): Promise<T> => {
    const done = await nextTurn(caller);
    let end = closeFile;
    try {
      const opened = await enter();
      const result = work(opened);
      end = mustYield(opened) ? yieldFile : waitIdle;
      return result;
    } finally {
      try {
        end();
      } finally {
        done();
      }
    }
  };
  return {
    driver: 'wasm',
    read: (work, caller) => transact('BEGIN', work, caller),
    write: (work, caller) => transact('BEGIN IMMEDIATE', work, caller),
    compact: ({ vacuum }) => inTurn(({ database }) => database.exec(`${vacuum ? 'VACUUM;' : ''}${emptyLog}`)),
    close: async () => {
      closeFile();
      lock.close();
      unregister();
    },
  };
}

/** Tells the holder of the lock that another process waits. `wx`: never write through a link. */
function requestFile(wantedFile: string): void {
  try {
    writeFileSync(wantedFile, '', { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function openSession(module: WasmModule, path: string, options: SqliteOptions): Session {
  removeDeadLock(path);
  const database = new module.Database(path);
  const session = { openedAt: performance.now(), database, statements: new Map<string, Statement>() };
  try {
    // EXCLUSIVE comes first: this build has no shared memory for the log's index.
    database.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; ${durability}`);
    if (options.maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${options.maxPages}`);
    return session;
  } catch (error) {
    closeSession(session);
    throw error;
  }
}

/** Rolls back an open transaction. */
function closeSession({ database, statements }: Session): void {
  for (const statement of statements.values()) {
    try {
      statement.finalize();
    } catch {
      // Finalizing repeats the error of the last step, which has been thrown already.
    }
  }
  database.close();
}

/** If it throws, the caller closes the session. */
function runIn<T>({ database, statements }: Session, begin: string, work: (sql: Sql) => T): T {
  database.exec(begin);
  const result = work(createSql(database, statements));
  database.exec('COMMIT');
  return result;
}

/** Removes the lock of a dead process: a live one would hold the lock file, which this process holds now. */
function removeDeadLock(path: string): void {
  try {
    rmdirSync(`${path}.lock`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function createSql(database: Database, statements: Map<string, Statement>): Sql {
  const prepare = (statement: string): Statement => {
    const compiled = statements.get(statement) ?? database.prepare(statement);
    statements.set(statement, compiled);
    return compiled;
  };
  return {
    run: (statement, ...values) => prepare(statement).run(values.map(cleanValue)).changes,
    get: (statement, ...values) => (prepare(statement).all(values.map(cleanValue))[0] as SqlRow | null) ?? null,
    all: (statement, ...values) => prepare(statement).all(values.map(cleanValue)) as SqlRow[],
  };
}
