import { Failure } from '../../model/failure.js';

/** A row as the database returns it. */
type StoredRow = Readonly<Record<string, unknown>>;

const jsonColumns = new Set(['columns', 'events', 'forgotten', 'metrics', 'options', 'reading', 'sub_counts']);
const booleanColumns = new Set(['resolver_down', 'row_count_exact']);

/** A row as a record: its columns in camel case, JSON parsed, and 1 as true where it means that. */
export function decodeRow<Item>(row: StoredRow): Item {
  const record: Record<string, unknown> = {};
  for (const [column, value] of Object.entries(row)) {
    const field = column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (value !== null && jsonColumns.has(column)) record[field] = parseJson(column, String(value));
    else record[field] = booleanColumns.has(column) ? value === 1 : value;
  }
  return record as Item;
}

function parseJson(column: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw damagedRecord(`${column} of a record`, cause);
  }
}

/** The Failure for stored data that is gone or damaged, for good. */
export class DataLost extends Failure {
  constructor(message: string, more: { hint: string; cause: unknown }) {
    super('storage', message, more);
  }
}

/** The Failure for a record that mailvet cannot have written. */
export function damagedRecord(what: string, cause: unknown): Failure {
  return new DataLost(`The job store is damaged: the ${what} cannot be read.`, {
    hint: 'Restore it from a backup, or set MAILVET_HOME to another directory to start with an empty store.',
    cause,
  });
}

/** Replaces NUL in a text: SQLite's wasm build truncates there, and PostgreSQL refuses it. */
export function cleanValue<Value>(value: Value): Value | string {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
}
