import { Failure } from '../../model/failure.js';
import type { JobState } from '../../model/job.js';
import type { ForgottenRows, JobRecord } from './store.js';

/** A row as the database returns it; PostgreSQL returns a bigint as text. */
export type StoredRow = Readonly<Record<string, unknown>>;

/** A row of `jobs`. Each store finds out in its own way whether the worker is dead. */
export function readJobRow(row: StoredRow): Omit<JobRecord, 'interrupted'> {
  const options = readJson<Record<string, unknown>>(row, 'options');
  return {
    num: readNumber(row, 'num'),
    id: readText(row, 'id'),
    groupId: readText(row, 'group_id'),
    part: readNumber(row, 'part'),
    parts: readNumber(row, 'parts'),
    owner: readText(row, 'owner'),
    uploadId: readText(row, 'upload_id'),
    filename: readText(row, 'filename'),
    emailColumn: readText(row, 'email_column'),
    options,
    firstRow: readNumber(row, 'first_row'),
    total: readNumber(row, 'total'),
    uniqueTotal: readNumber(row, 'unique_total'),
    createdAt: readNumber(row, 'created_at'),
    state: readText(row, 'state') as JobState,
    processed: readNumber(row, 'processed'),
    valid: readNumber(row, 'valid'),
    invalid: readNumber(row, 'invalid'),
    risky: readNumber(row, 'risky'),
    unknown: readNumber(row, 'unknown'),
    duplicate: readNumber(row, 'duplicate'),
    subCounts: readJson<Record<string, number>>(row, 'sub_counts'),
    resolverDown: readNumber(row, 'resolver_down') === 1,
    reused: readNumber(row, 'reused'),
    forgotten: forgottenIn(options),
    startedAt: readNumberOrNull(row, 'started_at'),
    finishedAt: readNumberOrNull(row, 'finished_at'),
    runStartedAt: readNumberOrNull(row, 'run_started_at'),
    runBase: readNumber(row, 'run_base'),
    error: readTextOrNull(row, 'error'),
    worker: readTextOrNull(row, 'worker'),
    leaseUntil: readNumberOrNull(row, 'lease_until'),
    crashes: readNumber(row, 'crashes'),
    waiting: readNumber(row, 'waiting'),
    nextRetryAt: readNumberOrNull(row, 'next_retry_at'),
  };
}

/** The rows of a job that were deleted with their address. The options hold them, since few jobs have any. */
export function forgottenIn({ forgotten }: Readonly<Record<string, unknown>>): ForgottenRows {
  const none = { valid: 0, invalid: 0, risky: 0, unknown: 0, duplicate: 0 };
  return (forgotten as ForgottenRows | undefined) ?? { rows: 0, answered: 0, counts: none, subCounts: {} };
}

export function sumForgotten(all: readonly ForgottenRows[]): ForgottenRows {
  const sum = (count: (one: ForgottenRows) => number): number => all.reduce((total, one) => total + count(one), 0);
  const codes = new Set(all.flatMap(({ subCounts }) => Object.keys(subCounts)));
  return {
    rows: sum(({ rows }) => rows),
    answered: sum(({ answered }) => answered),
    counts: {
      valid: sum(({ counts }) => counts.valid),
      invalid: sum(({ counts }) => counts.invalid),
      risky: sum(({ counts }) => counts.risky),
      unknown: sum(({ counts }) => counts.unknown),
      duplicate: sum(({ counts }) => counts.duplicate),
    },
    subCounts: Object.fromEntries([...codes].map((code) => [code, sum(({ subCounts }) => subCounts[code] ?? 0)])),
  };
}

export function readNumber(row: StoredRow, column: string): number {
  return Number(row[column]);
}

export function readText(row: StoredRow, column: string): string {
  return String(row[column]);
}

export function readNumberOrNull(row: StoredRow, column: string): number | null {
  const value = row[column] ?? null;
  return value === null ? null : Number(value);
}

export function readTextOrNull(row: StoredRow, column: string): string | null {
  const value = row[column] ?? null;
  return value === null ? null : String(value);
}

export function readJson<Value>(row: StoredRow, column: string): Value {
  try {
    return JSON.parse(readText(row, column)) as Value;
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
