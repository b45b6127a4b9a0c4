import { Failure } from '../model/failure.js';
import type { DriverName } from './presence.js';

/** All that may be bound and read; both builds agree on these. */
export type SqlValue = string | number | null;
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
  read<T>(work: (sql: Sql) => T): Promise<T>;
  write<T>(work: (sql: Sql) => T): Promise<T>;
  close(): Promise<void>;
}

export interface SqliteOptions {
  /** How long to wait for other processes. */
  busyMs?: number;
  /** Caps the file, as a full disk would. */
  maxPages?: number;
}

const busyDefaultMs = 30_000;

/** The wasm build cuts text at NUL, so NUL is replaced for both alike. */
export function cleanValue(value: SqlValue): SqlValue {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
}

/** Calls `attempt` until it gives something other than null, waiting a little longer each time; `locked` at the deadline. */
export async function untilFree<T>(path: string, options: SqliteOptions, attempt: () => T | null): Promise<T> {
  const deadline = performance.now() + (options.busyMs ?? busyDefaultMs);
  for (let tries = 0; ; tries++) {
    const result = attempt();
    if (result !== null) return result;
    if (performance.now() > deadline) throw stillBusy(path);
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

/** What SQLite or the file system threw, as a Failure that says what to do. */
export function storageFailure(error: unknown, path: string): Failure {
  if (error instanceof Failure) return error;
  const text = error instanceof Error ? error.message : String(error);
  const code = (error as NodeJS.ErrnoException | null)?.code ?? '';
  const found = faults.find(({ pattern }) => pattern.test(text) || pattern.test(code));
  if (found === undefined && !isForeign(error)) throw error;
  const sentence = found?.sentence ?? `cannot be used: ${text}`;
  return new Failure('storage', `The job store ${path} ${sentence}.`, {
    hint: found?.hint ?? 'Check the disk and the rights on the data directory, or set MAILVET_HOME to another one.',
    cause: error,
  });
}

function isForeign(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'SQLite3Error' || 'errcode' in error || 'syscall' in error;
}

const faults: { pattern: RegExp; sentence: string; hint: string }[] = [
  {
    pattern: /not a database|malformed|SQLITE_CORRUPT/,
    sentence: 'is damaged or is not a mailvet store',
    hint: 'Nothing was changed. Restore it from a backup, or move the file aside to begin with an empty store.',
  },
  {
    pattern: /is full|ENOSPC|EDQUOT|EFBIG/,
    sentence: 'cannot grow: the disk is full',
    hint: 'Free some space and run the command again; everything that was finished is kept.',
  },
  {
    pattern: /readonly database|EROFS|EACCES|EPERM/,
    sentence: 'cannot be written: it is read-only',
    hint: 'Check the rights on the data directory, or set MAILVET_HOME to one that can be written.',
  },
  {
    pattern: /unable to open|Could not open|ENOENT|ENOTDIR/,
    sentence: 'cannot be opened',
    hint: 'Check that the data directory exists and can be written, or set MAILVET_HOME to another one.',
  },
  {
    pattern: /disk I\/O error|EIO/,
    sentence: 'could not be read or written: the disk is full or failing',
    hint: 'Free some space and run the command again; everything that was finished is kept.',
  },
];
