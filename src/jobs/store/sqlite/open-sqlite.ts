import { closeSync, existsSync, openSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makePrivateFolder } from '../../../disk/private-folder.js';
import { storageFailure } from '../../../disk/storage-failure.js';
import { Failure } from '../../../model/failure.js';
import { readNumber } from '../records.js';
import { foldFilenames, hideProxyPasswords } from '../sql/job-queries.js';
import type { Steps } from '../sql/steps.js';
import { runSteps } from './backend.js';
import type { DriverName } from './driver-registry.js';
import { nativeSqlite, openNative } from './native.js';
import type { Sql, Sqlite, SqliteOptions } from './sqlite.js';
import { openWasm } from './wasm.js';

/** Opens the store's file, creating and migrating it if needed. Errors of the disk and of SQLite become a Failure. */
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
    await migrate(sqlite, path);
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

/** Statements, and steps that SQL cannot express. */
type Migration = readonly (string | (() => Steps<void>))[];

/** Each entry migrates the store from the version of its index to the next. Entries are only added, never changed. */
export const migrations: readonly Migration[] = [
  [
    `CREATE TABLE uploads (
      id TEXT PRIMARY KEY, owner TEXT NOT NULL, filename TEXT NOT NULL, source TEXT, source_size INTEGER, source_changed INTEGER,
      columns TEXT NOT NULL, row_count INTEGER, row_count_exact INTEGER NOT NULL, created_at INTEGER NOT NULL, group_id TEXT)`,
    'CREATE INDEX uploads_by_age ON uploads (group_id, created_at)',
    `CREATE TABLE jobs (
      num INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, group_id TEXT NOT NULL, part INTEGER NOT NULL, parts INTEGER NOT NULL,
      owner TEXT NOT NULL, upload_id TEXT NOT NULL, filename TEXT NOT NULL, email_column TEXT NOT NULL, options TEXT NOT NULL,
      first_row INTEGER NOT NULL, total INTEGER NOT NULL, unique_total INTEGER NOT NULL, reserved INTEGER,
      state TEXT NOT NULL, processed INTEGER NOT NULL DEFAULT 0, valid INTEGER NOT NULL DEFAULT 0, invalid INTEGER NOT NULL DEFAULT 0,
      risky INTEGER NOT NULL DEFAULT 0, unknown INTEGER NOT NULL DEFAULT 0, duplicate INTEGER NOT NULL DEFAULT 0,
      sub_counts TEXT NOT NULL DEFAULT '{}', created_at INTEGER NOT NULL, started_at INTEGER, finished_at INTEGER,
      run_started_at INTEGER, run_base INTEGER NOT NULL DEFAULT 0, error TEXT, worker TEXT, lease_until INTEGER)`,
    'CREATE INDEX jobs_by_owner ON jobs (owner, num)',
    'CREATE INDEX jobs_by_group ON jobs (group_id, part)',
    'CREATE INDEX jobs_by_state ON jobs (state, num)',
    'CREATE TABLE chunks (num INTEGER PRIMARY KEY, job INTEGER NOT NULL, data TEXT NOT NULL)',
    'CREATE INDEX chunks_by_job ON chunks (job, num)',
    'CREATE TABLE cache (key TEXT PRIMARY KEY, verdict TEXT NOT NULL, checked_at INTEGER NOT NULL) WITHOUT ROWID',
    `CREATE TABLE keys (
      id TEXT PRIMARY KEY, name TEXT NOT NULL, prefix TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, plan TEXT NOT NULL, credits INTEGER,
      created_at INTEGER NOT NULL, expires_at INTEGER, revoked_at INTEGER, last_used_at INTEGER)`,
    `CREATE TABLE reservations (
      id TEXT PRIMARY KEY, key_id TEXT NOT NULL, amount INTEGER NOT NULL, holder TEXT NOT NULL, created_at INTEGER NOT NULL)`,
  ],
  // The cache was keyed by address; now by keyed hash.
  ['DELETE FROM cache'],
  [`ALTER TABLE uploads ADD COLUMN reading TEXT NOT NULL DEFAULT '{}'`],
  [
    'CREATE TABLE admin (only_one INTEGER PRIMARY KEY CHECK (only_one = 1), password TEXT NOT NULL, changed_at INTEGER NOT NULL)',
    `CREATE TABLE sessions (
      hash TEXT PRIMARY KEY, owner TEXT NOT NULL, user_agent TEXT NOT NULL, created_at INTEGER NOT NULL,
      last_used_at INTEGER NOT NULL) WITHOUT ROWID`,
    `CREATE TABLE usage (
      day TEXT NOT NULL, owner TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, count INTEGER NOT NULL,
      PRIMARY KEY (day, owner, kind, name)) WITHOUT ROWID`,
    'ALTER TABLE keys ADD COLUMN granted INTEGER',
    'ALTER TABLE jobs ADD COLUMN waiting INTEGER NOT NULL DEFAULT 0',
    'ALTER TABLE jobs ADD COLUMN next_retry_at INTEGER',
  ],
  [
    'CREATE INDEX jobs_by_turn ON jobs (state, owner, num)',
    'CREATE INDEX uploads_by_owner ON uploads (owner, group_id)',
  ],
  ['ALTER TABLE jobs ADD COLUMN resolver_down INTEGER NOT NULL DEFAULT 0'],
  ['ALTER TABLE jobs ADD COLUMN reused INTEGER NOT NULL DEFAULT 0'],
  [`ALTER TABLE jobs ADD COLUMN filename_folded TEXT NOT NULL DEFAULT ''`, foldFilenames],
  ['ALTER TABLE jobs ADD COLUMN crashes INTEGER NOT NULL DEFAULT 0'],
  [
    `CREATE TABLE members (
      id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT NOT NULL, role TEXT NOT NULL, password TEXT,
      invitation TEXT UNIQUE, invited_until INTEGER, created_at INTEGER NOT NULL, last_sign_in_at INTEGER)`,
    `CREATE TABLE audit (
      num INTEGER PRIMARY KEY, at INTEGER NOT NULL, actor TEXT NOT NULL, actor_name TEXT NOT NULL, action TEXT NOT NULL,
      subject TEXT NOT NULL, subject_name TEXT NOT NULL, address TEXT NOT NULL)`,
    `ALTER TABLE sessions ADD COLUMN address TEXT NOT NULL DEFAULT ''`,
    'ALTER TABLE keys ADD COLUMN member TEXT',
  ],
  [
    `CREATE TABLE webhooks (
      id TEXT PRIMARY KEY, owner TEXT NOT NULL, url TEXT NOT NULL, events TEXT NOT NULL, secret TEXT NOT NULL, old_secret TEXT,
      old_secret_until INTEGER, created_at INTEGER NOT NULL)`,
    `CREATE TABLE deliveries (
      id TEXT PRIMARY KEY, webhook TEXT NOT NULL, event TEXT NOT NULL, payload TEXT NOT NULL, created_at INTEGER NOT NULL,
      state TEXT NOT NULL, attempts INTEGER NOT NULL, next_at INTEGER NOT NULL, lease_until INTEGER NOT NULL DEFAULT 0,
      last_status INTEGER, last_error TEXT)`,
    'CREATE INDEX deliveries_by_webhook ON deliveries (webhook, created_at)',
    `CREATE INDEX deliveries_due ON deliveries (next_at) WHERE state = 'pending'`,
    'CREATE INDEX jobs_by_end ON jobs (finished_at)',
  ],
  [
    `ALTER TABLE webhooks ADD COLUMN created_by TEXT NOT NULL DEFAULT ''`,
    `ALTER TABLE members ADD COLUMN invited_by TEXT NOT NULL DEFAULT ''`,
  ],
  ['CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID'],
  // The cache had suggested spellings.
  ['DELETE FROM cache', hideProxyPasswords],
  ['CREATE TABLE answers (key TEXT PRIMARY KEY, answer TEXT, checked_at INTEGER NOT NULL) WITHOUT ROWID'],
];

/** Migrates the store to the newest version. Throws for a store of a newer mailvet. */
export async function migrate(sqlite: Sqlite, path: string, steps = migrations): Promise<void> {
  const version = await sqlite.read(readVersion);
  if (version > steps.length)
    throw new Failure(
      'storage',
      `The job store ${path} was written by a newer mailvet (its version is ${version}, this one knows ${steps.length}).`,
      { hint: 'Nothing was changed. Update mailvet, or set MAILVET_HOME to another directory.' },
    );
  if (version === steps.length) return;
  await sqlite.write((sql) => {
    const current = readVersion(sql);
    // Another process may have migrated it meanwhile.
    if (current >= steps.length) return;
    for (const step of steps.slice(current).flat()) {
      if (typeof step === 'string') sql.run(step);
      else runSteps(sql, step());
    }
    sql.run(`PRAGMA user_version = ${steps.length}`);
  });
  // What older versions deleted, and what the migration did, is still in unused space.
  if (version > 0) await sqlite.compact({ vacuum: true });
}

export function readVersion(sql: Sql): number {
  return sql.all('PRAGMA user_version').reduce((sum, row) => sum + readNumber(row, 'user_version'), 0);
}
