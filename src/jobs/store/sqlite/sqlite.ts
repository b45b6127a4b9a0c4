import type { Caller } from '../../../async/caller.js';
import { FairQueue } from '../../../async/fair-queue.js';
import { Failure } from '../../../model/failure.js';
import { forJob, type SqlValue } from '../sql/steps.js';
import type { DriverName } from './driver-registry.js';

export type SqlRow = Record<string, SqlValue>;

/** Statements inside one transaction. */
export interface Sql {
  /** Gives the number of changed rows. */
  run(statement: string, ...values: SqlValue[]): number;
  get(statement: string, ...values: SqlValue[]): SqlRow | null;
  all(statement: string, ...values: SqlValue[]): SqlRow[];
}

/** A SQLite file, whichever build opened it. `work` runs synchronously in one transaction, and again from its start where the file was busy. */
export interface Sqlite {
  driver: DriverName;
  /** Whose it is decides when it is its turn; all that nobody spoke for comes last. */
  read<T>(work: (sql: Sql) => T, share?: Caller): Promise<T>;
  write<T>(work: (sql: Sql) => T, share?: Caller): Promise<T>;
  /** Writes the file anew without the space that nothing uses. */
  compact(): Promise<void>;
  /** Once nothing is under way. */
  close(): Promise<void>;
}

export interface SqliteOptions {
  /** How long to wait for other processes. */
  busyMs?: number;
  /** Told once where that takes longer than a moment. */
  onWait?(): void;
  /** Caps the file, as a full disk would. */
  maxPages?: number;
}

/** What writes the file anew, and then its log into the file. */
export const compaction = 'VACUUM; PRAGMA wal_checkpoint(TRUNCATE)';

/** A hundred that come at once take turns, and the last one waits for all the others. */
const busyDefaultMs = 120_000;
/** Whoever waits longer is told why. */
const momentMs = 2_000;

/** Calls `attempt` until it gives something other than null, waiting a little longer each time; `locked` at the deadline. */
export async function untilFree<T>(path: string, options: SqliteOptions, attempt: () => T | null): Promise<T> {
  const { busyMs = busyDefaultMs } = options;
  const deadline = performance.now() + busyMs;
  const tellAt = performance.now() + Math.min(momentMs, busyMs / 4);
  let told = false;
  for (let tries = 0; ; tries++) {
    const result = attempt();
    if (result !== null) return result;
    if (performance.now() > deadline) throw stillBusy(path);
    if (!told && performance.now() > tellAt) {
      told = true;
      options.onWait?.();
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(1 + tries, 25) * (0.5 + Math.random())));
  }
}

function stillBusy(path: string): Failure {
  return new Failure('locked', `The job store ${path} is held by another process and did not become free.`, {
    hint: 'Wait for the other mailvet to finish. If none is running on this or another machine, remove the directory '.concat(
      `${path}.mutex and try again.`,
    ),
  });
}

/** So long transactions follow each other before anything else gets the thread; they would else run on until none is left. */
const burstMs = 2;

/**
 * Gives each transaction its turn when the one before has called what it was given: a few milliseconds of them at a time, and then
 * whatever else there is to do. Urgent ones go first, and owners take turns.
 */
export function openTurns(): (share?: Caller) => Promise<() => void> {
  const line = new FairQueue<(done: () => void) => void>();
  let burstEnd = 0;
  let isBusy = false;

  const begin = (): void => {
    const next = line.next();
    isBusy = next !== undefined;
    next?.(() => {
      isBusy = false;
      goOn();
    });
  };
  const goOn = (): void => {
    if (isBusy || line.size === 0) return;
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
  return (share = forJob('')) =>
    new Promise((resolve) => {
      line.add(resolve, share);
      goOn();
    });
}
