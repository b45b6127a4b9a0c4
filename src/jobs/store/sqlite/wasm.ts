import { existsSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import type { Database, Statement } from 'node-sqlite3-wasm';
import type { Caller } from '../../../async/caller.js';
import { openFileLock } from '../../../disk/file-lock.js';
import { cleanValue } from '../clean-value.js';
import { openPresence } from './driver-registry.js';
import { compaction, openTurns, type Sql, type Sqlite, type SqliteOptions, type SqlRow, untilFree } from './sqlite.js';

type WasmModule = { Database: typeof Database };

/** A connection that is open while we hold the lock. */
interface Session {
  openedAt: number;
  database: Database;
  statements: Map<string, Statement>;
}

/** The connection waits so long for the next transaction, unless another process wants the file: opening it anew costs more than most transactions. */
const lingerMs = 500;
/** How often it looks meanwhile whether one does. */
const lookMs = 15;
/** Who has it does so much before another gets it: opening it costs each of them more than a few transactions. */
const turnMs = 50;
/** Time for the one that wants it to come: longer than it may sleep between two looks. */
const yieldMs = 60;
/** V8 may run so many bytes of a function before it optimises it. SQLite's largest takes a second of that, and a process that has done its work cannot end meanwhile. */
const optimiseAfterBytes = 1_000_000_000;

/**
 * Opens `path` by the wasm build, alone under our own lock between processes. Its file layer takes any lock it holds itself for
 * another writer's, so it never rolls back the journal of a killed process; a write-ahead log under an exclusive lock is recovered
 * properly, but belongs to one connection. So a connection lives for one transaction, or for a quick succession of them.
 */
export async function openWasm(path: string, options: SqliteOptions): Promise<Sqlite> {
  setFlagsFromString(`--wasm-tiering-budget=${optimiseAfterBytes}`);
  const { default: module } = (await import('node-sqlite3-wasm')) as unknown as { default: WasmModule };
  const signOff = await openPresence(`${path}.users`, 'wasm');
  const lock = openFileLock(`${path}.mutex`);
  const wanted = `${path}.wanted`;
  let session: Session | null = null;
  let timer: NodeJS.Timeout | undefined;
  const nextTurn = openTurns();
  /** Others go first until then. */
  let othersUntil = 0;

  const leave = (): void => {
    clearTimeout(timer);
    const open = session;
    session = null;
    try {
      if (open !== null) closeSession(open);
    } finally {
      lock.release();
    }
  };
  /** Who would take it back at once would keep all others waiting for as long as it has work. */
  const giveWay = (): void => {
    leave();
    othersUntil = performance.now() + yieldMs;
  };
  const mustGiveWay = ({ openedAt }: Session): boolean => performance.now() - openedAt > turnMs && existsSync(wanted);
  const linger = (until = performance.now() + lingerMs): void => {
    timer = setTimeout(() => {
      const isWanted = existsSync(wanted);
      if (!isWanted && performance.now() < until) {
        linger(until);
        return;
      }
      try {
        if (isWanted) giveWay();
        else leave();
      } catch {
        // All is committed; the next transaction meets the same trouble and can tell someone.
      }
    }, lookMs);
  };
  const enter = async (): Promise<Session> => {
    clearTimeout(timer);
    if (session !== null && mustGiveWay(session)) giveWay();
    if (session !== null) return session;
    const rest = othersUntil - performance.now();
    if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
    await untilFree(path, options, () => {
      if (lock.tryAcquire()) return true;
      askForIt(wanted);
      return null;
    });
    // Whoever else waits will ask again.
    rmSync(wanted, { force: true });
    session = openSession(module, path, options);
    return session;
  };
  const transact = <T>(begin: string, work: (sql: Sql) => T, share?: Caller): Promise<T> =>
    inTurn((opened) => runIn(opened, begin, work), share);
  const inTurn = async <T>(work: (opened: Session) => T, share?: Caller): Promise<T> => {
    const done = await nextTurn(share);
    let end = leave;
    try {
      const opened = await enter();
      const result = work(opened);
      end = mustGiveWay(opened) ? giveWay : linger;
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
    read: (work, share) => transact('BEGIN', work, share),
    write: (work, share) => transact('BEGIN IMMEDIATE', work, share),
    compact: () => inTurn(({ database }) => database.exec(compaction)),
    close: async () => {
      leave();
      lock.close();
      signOff();
    },
  };
}

/** Tells the holder of the lock that somebody waits; never through a link that somebody has put there. */
function askForIt(wanted: string): void {
  try {
    writeFileSync(wanted, '', { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function openSession(module: WasmModule, path: string, options: SqliteOptions): Session {
  removeDeadLock(path);
  const database = new module.Database(path);
  const session = { openedAt: performance.now(), database, statements: new Map<string, Statement>() };
  try {
    // EXCLUSIVE must come first: this build has no shared memory for the log's index. FULL: see the other driver.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    if (options.maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${options.maxPages}`);
    return session;
  } catch (error) {
    closeSession(session);
    throw error;
  }
}

/** Rolls back what was not committed. */
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

/** A transaction that fails takes its session with it. */
function runIn<T>({ database, statements }: Session, begin: string, work: (sql: Sql) => T): T {
  database.exec(begin);
  const result = work(prepared(database, statements));
  database.exec('COMMIT');
  return result;
}

/** Whoever made it is dead: the living hold our lock while it exists, and we hold that now. */
function removeDeadLock(path: string): void {
  try {
    rmdirSync(`${path}.lock`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
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
