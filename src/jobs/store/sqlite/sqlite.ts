import type { Caller } from '../../../async/caller.js';
import { FairQueue } from '../../../async/fair-queue.js';
import { Failure } from '../../../model/failure.js';
import { forJob, type SqlValue } from '../sql.js';
import type { DriverName } from './driver-registry.js';

export type SqlRow = Record<string, SqlValue>;

/** Statements inside one transaction. */
export interface Sql {
  /** Returns the number of changed rows. */
  run(statement: string, ...values: SqlValue[]): number;
  get(statement: string, ...values: SqlValue[]): SqlRow | null;
  all(statement: string, ...values: SqlValue[]): SqlRow[];
}

/** A SQLite file. `work` runs synchronously in one transaction, and again from its start if the file was busy. */
export interface Sqlite {
  driver: DriverName;
  /** Callers take turns; a transaction without a caller comes last. */
  read<T>(work: (sql: Sql) => T, caller?: Caller): Promise<T>;
  write<T>(work: (sql: Sql) => T, caller?: Caller): Promise<T>;
  /** Empties the log of writes, where deleted rows still are; `vacuum` first rewrites the file without its unused space. */
  compact(options: { vacuum: boolean }): Promise<void>;
  /** Waits for open transactions. */
  close(): Promise<void>;
}

export interface SqliteOptions {
  /** How long to wait for other processes. */
  busyMs?: number;
  /** Called once if the wait is long. */
  onWait?(): void;
  /** Limits the file, as a full disk would. */
  maxPages?: number;
}

/** Deleted rows are overwritten (SQLite, "PRAGMA secure_delete"). FULL: a reported row survives a power cut. */
export const durability = 'PRAGMA secure_delete = ON; PRAGMA synchronous = FULL';
export const emptyLog = 'PRAGMA wal_checkpoint(TRUNCATE)';

/** Long enough for a hundred processes that start at once. */
const defaultBusyMs = 120_000;
/** Longer waits are reported. */
const longWaitMs = 2_000;

/** Calls `attempt` with backoff until it returns something other than null. Throws `locked` at the deadline. */
export async function retryWhileBusy<T>(path: string, options: SqliteOptions, attempt: () => T | null): Promise<T> {
  const { busyMs = defaultBusyMs } = options;
  const deadline = performance.now() + busyMs;
  const reportAt = performance.now() + Math.min(longWaitMs, busyMs / 4);
  let isReported = false;
  for (let tries = 0; ; tries++) {
    const result = attempt();
    if (result !== null) return result;
    if (performance.now() > deadline)
      throw new Failure('locked', `The job store ${path} is held by another process and did not become free.`, {
        hint: `Wait for the other mailvet to finish. If none is running on this or another machine, remove the directory ${path}.mutex and try again.`,
      });
    if (!isReported && performance.now() > reportAt) {
      isReported = true;
      options.onWait?.();
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(1 + tries, 25) * (0.5 + Math.random())));
  }
}

/** The longest run of transactions before I/O is served. */
const burstMs = 2;

/** A fair queue of transactions by caller. Each begins when the one before has called its `done`. */
export function createTransactionQueue(): (caller?: Caller) => Promise<() => void> {
  const queue = new FairQueue<(done: () => void) => void>();
  let burstEnd = 0;
  let isBusy = false;

  const begin = (): void => {
    const next = queue.next();
    isBusy = next !== undefined;
    next?.(() => {
      isBusy = false;
      advance();
    });
  };
  const advance = (): void => {
    if (isBusy || queue.size === 0) return;
    isBusy = true;
    if (performance.now() < burstEnd) {
      begin();
      return;
    }
    setImmediate(() => {
      burstEnd = performance.now() + burstMs;
      begin();
    });
  };
  return (caller = forJob('')) =>
    new Promise((resolve) => {
      queue.add(resolve, caller);
      advance();
    });
}
