import { Failure } from '../../model/failure.js';
import type { JobState } from '../../model/job.js';
import type { FileReading } from '../../model/service.js';
import type { KeyRecord } from './keys.js';
import type { SessionRecord } from './sessions.js';
import type { JobRecord, UploadRecord } from './store.js';
import type { UsageCount, UsageKind } from './usage.js';

/** A row as a database gives it: texts, numbers, or numbers as text where they may be long. */
export type StoredRow = Readonly<Record<string, unknown>>;

/** A row of `uploads`. */
export function readUpload(row: StoredRow): UploadRecord {
  return {
    id: text(row, 'id'),
    owner: text(row, 'owner'),
    filename: text(row, 'filename'),
    source: textOrNull(row, 'source'),
    sourceSize: numberOrNull(row, 'source_size'),
    sourceChanged: numberOrNull(row, 'source_changed'),
    columns: json<string[]>(row, 'columns'),
    reading: json<FileReading>(row, 'reading'),
    rowCount: numberOrNull(row, 'row_count'),
    rowCountExact: number(row, 'row_count_exact') === 1,
    createdAt: number(row, 'created_at'),
    groupId: textOrNull(row, 'group_id'),
  };
}

/** A row of `jobs`; whether its worker is dead is for the store to tell. */
export function readJobRow(row: StoredRow): Omit<JobRecord, 'interrupted'> {
  return {
    num: number(row, 'num'),
    id: text(row, 'id'),
    groupId: text(row, 'group_id'),
    part: number(row, 'part'),
    parts: number(row, 'parts'),
    owner: text(row, 'owner'),
    uploadId: text(row, 'upload_id'),
    filename: text(row, 'filename'),
    emailColumn: text(row, 'email_column'),
    options: json<Record<string, unknown>>(row, 'options'),
    firstRow: number(row, 'first_row'),
    total: number(row, 'total'),
    uniqueTotal: number(row, 'unique_total'),
    createdAt: number(row, 'created_at'),
    state: text(row, 'state') as JobState,
    processed: number(row, 'processed'),
    valid: number(row, 'valid'),
    invalid: number(row, 'invalid'),
    risky: number(row, 'risky'),
    unknown: number(row, 'unknown'),
    duplicate: number(row, 'duplicate'),
    subCounts: json<Record<string, number>>(row, 'sub_counts'),
    resolverDown: number(row, 'resolver_down') === 1,
    reused: number(row, 'reused'),
    startedAt: numberOrNull(row, 'started_at'),
    finishedAt: numberOrNull(row, 'finished_at'),
    runStartedAt: numberOrNull(row, 'run_started_at'),
    runBase: number(row, 'run_base'),
    error: textOrNull(row, 'error'),
    worker: textOrNull(row, 'worker'),
    leaseUntil: numberOrNull(row, 'lease_until'),
    waiting: number(row, 'waiting'),
    nextRetryAt: numberOrNull(row, 'next_retry_at'),
  };
}

/** A row of `keys`, without its hash. */
export function readKey(row: StoredRow): KeyRecord {
  return {
    id: text(row, 'id'),
    name: text(row, 'name'),
    prefix: text(row, 'prefix'),
    plan: text(row, 'plan'),
    credits: numberOrNull(row, 'credits'),
    granted: numberOrNull(row, 'granted'),
    createdAt: number(row, 'created_at'),
    expiresAt: numberOrNull(row, 'expires_at'),
    revokedAt: numberOrNull(row, 'revoked_at'),
    lastUsedAt: numberOrNull(row, 'last_used_at'),
  };
}

/** A row of `sessions`. */
export function readSession(row: StoredRow): SessionRecord {
  return {
    owner: text(row, 'owner'),
    userAgent: text(row, 'user_agent'),
    createdAt: number(row, 'created_at'),
    lastUsedAt: number(row, 'last_used_at'),
  };
}

/** A row of `usage`. */
export function readUsageCount(row: StoredRow): UsageCount {
  return {
    day: text(row, 'day'),
    owner: text(row, 'owner'),
    kind: text(row, 'kind') as UsageKind,
    name: text(row, 'name'),
    count: number(row, 'count'),
  };
}

/** A column that is never null. */
export function number(row: StoredRow, column: string): number {
  return Number(row[column]);
}

/** A column that is never null. */
export function text(row: StoredRow, column: string): string {
  return String(row[column]);
}

/** A column that may be null. */
export function numberOrNull(row: StoredRow, column: string): number | null {
  const value = row[column] ?? null;
  return value === null ? null : Number(value);
}

/** A column that may be null. */
export function textOrNull(row: StoredRow, column: string): string | null {
  const value = row[column] ?? null;
  return value === null ? null : String(value);
}

function json<Value>(row: StoredRow, column: string): Value {
  try {
    return JSON.parse(text(row, column)) as Value;
  } catch (cause) {
    throw damagedRecord(`${column} of a record`, cause);
  }
}

/** For what SQLite gave back as it was told, but which nobody of ours can have written. */
export function damagedRecord(what: string, cause: unknown): Failure {
  return new Failure('storage', `The job store is damaged: the ${what} cannot be read.`, {
    hint: 'Restore it from a backup, or set MAILVET_HOME to another directory to begin with an empty store.',
    cause,
  });
}
