import type { Caller } from '../../async/caller.js';
import type { JobRecord, Release, StoredJob } from './job-record.js';

/** The values that both databases can bind. */
export type SqlValue = string | number | null;

/** A statement in the dialect that both databases share: `?` stands for a value, and tables have no schema. */
export interface Statement {
  /** `lockRows` also locks the rows it reads. SQLite need not: it has one writer at a time. */
  kind: 'rows' | 'lockRows' | 'change';
  text: string;
  values: readonly SqlValue[];
}

/** The statements of a transaction; each returns records and a number of changes. SQLite runs them synchronously, PostgreSQL awaits each. */
export type Steps<T> = Generator<Statement, T, { rows: unknown[]; changes: number }>;

/** Who works on a job: SQLite gives a whole job to one worker, PostgreSQL its slices to many. Null if the worker no longer holds it. */
interface SliceTable {
  /** Makes all rows of a queued job available to workers. */
  open(job: number): Steps<void>;
  /** Takes the job from all workers, with the counts of its slices. */
  close(job: number): Steps<void>;
  /** Gives back what the worker holds. Returns what becomes of the job. */
  leave(job: StoredJob, worker: string, release: Release): Steps<'queued' | 'running' | 'failed' | null>;
  /** Ends what the worker holds. True if the job has nothing left to do. */
  end(job: StoredJob, worker: string): Steps<boolean | null>;
}

/** What the tables need from a database. Work that conflicts with another process runs again from its start. */
export interface SqlBackend {
  /** `maxWaitMs` limits how long a lost database is waited for. */
  read<T>(work: () => Steps<T>, caller?: Caller, maxWaitMs?: number): Promise<T>;
  write<T>(work: () => Steps<T>, caller?: Caller): Promise<T>;
  /** The holder of new reservations. */
  processId: string;
  /** Registers this process, so that others can detect its death. */
  register(): Promise<void>;
  /** Limits of one transaction: SQLite blocks its process meanwhile. */
  maxRows: number;
  maxChunks: number;
  /** The columns that `readJob` reads. */
  jobColumns: string;
  readJob(job: StoredJob): JobRecord;
  /** Notifies the other processes, at the commit, that keys or waiting jobs changed. */
  notifyNodes(): Steps<void>;
  slices: SliceTable;
  /** The ids of reservations whose holder is dead. */
  abandonedReservations(): Steps<string[]>;
}

/** The records that a statement returns. */
export function* all<Item>(text: string, ...values: SqlValue[]): Steps<Item[]> {
  return (yield { kind: 'rows', text, values }).rows as Item[];
}

export function* get<Item>(text: string, ...values: SqlValue[]): Steps<Item | null> {
  return (yield* all<Item>(text, ...values))[0] ?? null;
}

/** Records that no other transaction can change until this one ends. */
export function* allLocked<Item>(text: string, ...values: SqlValue[]): Steps<Item[]> {
  return (yield { kind: 'lockRows', text, values }).rows as Item[];
}

export function* getLocked<Item>(text: string, ...values: SqlValue[]): Steps<Item | null> {
  return (yield* allLocked<Item>(text, ...values))[0] ?? null;
}

/** Returns the number of changed rows. */
export function* run(text: string, ...values: SqlValue[]): Steps<number> {
  return (yield { kind: 'change', text, values }).changes;
}

/** Adds a record. Returns 0 if `onConflict` left an existing row. */
export function* insert(table: string, record: object, onConflict = ''): Steps<number> {
  const fields = Object.entries(record).filter(([, value]) => value !== undefined);
  const columns = fields.map(([field]) => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  const values = new Array(fields.length).fill('?').join(', ');
  const text = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values}) ${onConflict}`;
  return yield* run(text, ...fields.map(([, value]) => encodeValue(value)));
}

function encodeValue(value: unknown): SqlValue {
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as SqlValue);
}

/** SQL that is true for a column whose value is in a `listValue`. */
export const inList = 'IN (SELECT value ->> 0 FROM json_each(?))';

export function listValue(items: Iterable<string>): string {
  return JSON.stringify([...items].map((item) => [item]));
}

/** The caller of queries that a request waits for before it starts. */
export const forRequests: Caller = { priority: 'single', owner: '', taskId: '' };

export function forOwner(owner: string | null): Caller {
  return { priority: 'bulk', owner: owner ?? '', taskId: '' };
}

export function forJob(id: string): Caller {
  return { priority: 'job', owner: id, taskId: '' };
}
