import { Failure } from '../../model/failure.js';
import type { JobState } from '../../model/job.js';
import type { JobRecord } from './store.js';

/** A row as the database returns it; PostgreSQL returns a bigint as text. */
export type StoredRow = Readonly<Record<string, unknown>>;

/** A row of `jobs`. Each store finds out in its own way whether the worker is dead. */
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
    crashes: number(row, 'crashes'),
    waiting: number(row, 'waiting'),
    nextRetryAt: numberOrNull(row, 'next_retry_at'),
  };
}

export function number(row: StoredRow, column: string): number {
  return Number(row[column]);
}

export function text(row: StoredRow, column: string): string {
  return String(row[column]);
}

export function numberOrNull(row: StoredRow, column: string): number | null {
  const value = row[column] ?? null;
  return value === null ? null : Number(value);
}

export function textOrNull(row: StoredRow, column: string): string | null {
  const value = row[column] ?? null;
  return value === null ? null : String(value);
}

export function json<Value>(row: StoredRow, column: string): Value {
  try {
    return JSON.parse(text(row, column)) as Value;
  } catch (cause) {
    throw damagedRecord(`${column} of a record`, cause);
  }
}

/** The Failure for a record that mailvet cannot have written. */
export function damagedRecord(what: string, cause: unknown): Failure {
  return new Failure('storage', `The job store is damaged: the ${what} cannot be read.`, {
    hint: 'Restore it from a backup, or set MAILVET_HOME to another directory to start with an empty store.',
    cause,
  });
}

/** Replaces NUL in a text: SQLite's wasm build truncates there, and PostgreSQL refuses it. */
export function cleanValue<Value>(value: Value): Value | string {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
}
