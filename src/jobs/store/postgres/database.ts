import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { cleanValue, decodeRow } from '../records.js';
import { openConnections } from './connections.js';
import {
  databaseFailure,
  isCollision,
  isDuplicate,
  isReadOnly,
  isRetryable,
  isTransient,
  Outage,
} from './database-failure.js';
import { ShutdownGuard } from './shutdown-guard.js';
import { parseStoreAddress } from './store-address.js';

type SqlValue = Scalar | Buffer | readonly (Scalar | Uint8Array)[];
type Scalar = string | number | boolean | null;

/** Statements of one connection. */
export interface Sql {
  /** Returns the number of changed rows. */
  run(statement: string, ...values: SqlValue[]): Promise<number>;
  /** The first record. */
  get<Item = Record<string, unknown>>(statement: string, ...values: SqlValue[]): Promise<Item | null>;
  all<Item>(statement: string, ...values: SqlValue[]): Promise<Item[]>;
}

/** A PostgreSQL database. Work that fails because the connection was lost runs again from its start, up to `maxRetryMs`. */
export interface Database {
  name: string;
  /** Statements that only read, without a transaction. */
  read<T>(work: (sql: Sql) => Promise<T>, maxRetryMs?: number): Promise<T>;
  /** One transaction, committed exactly once even if the connection is lost. */
  write<T>(work: (sql: Sql) => Promise<T>, maxRetryMs?: number): Promise<T>;
  /** One statement, without a transaction. Returns `stored` if a unique key refuses it: an earlier try was stored, and its reply lost. */
  writeOnce<T>(work: (sql: Sql) => Promise<T>, stored: T): Promise<T>;
  /** How long the oldest `writeOnce` in progress has waited. */
  writeLagMs(): number;
  /** A transaction that may run twice without harm. Needs no table of the store. */
  writeRepeatable<T>(work: (sql: Sql) => Promise<T>, maxRetryMs?: number): Promise<T>;
  /** Whether the failure, of an unreachable database or a lost conflict, may not occur again. */
  isRetryable(failure: unknown): boolean;
  /** A new connection, which the caller ends. */
  connect(): Promise<pg.Client>;
  /** Throws for a connection pooler that assigns connections by transaction. */
  checkPooler(maxRetryMs?: number): Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** Maximum number of connections, including those of the listener and the permits. */
  maxConnections?: number | undefined;
  /** A server or worker, which outlives a failover of its database. */
  isDaemon?: boolean | undefined;
  /** How long to wait for a lost database. */
  maxRetryMs?: number | undefined;
  /** Aborted when the process stops: it then waits only briefly for a lost database. */
  signal?: AbortSignal | undefined;
  /** Called once when the database is lost, and once when it is back. */
  onNote?: ((text: string) => void) | undefined;
}

/** Reads give up sooner: the caller can try again, and a long wait is no better than an error. */
const maxReadRetryMs = 10_000;
const firstDelayMs = 50;
const maxDelayMs = 2_000;

/** Connects at the first statement. */
export function openDatabase(address: string, options: DatabaseOptions = {}): Database {
  const { maxConnections = 8, maxRetryMs: defaultMaxRetryMs = 60_000 } = options;
  const parsed = parseStoreAddress(address);
  const { name } = parsed;
  const connections = openConnections(parsed, Math.max(1, maxConnections - 2));
  // A daemon waits for the failover to a server that can be written.
  const canWaitFor = (error: unknown): boolean => (isReadOnly(error) ? options.isDaemon === true : isTransient(error));
  const outage = new Outage(name, options.onNote ?? (() => {}));
  let closing: Promise<void> | null = null;
  /** Those of `writeOnce` in progress, the oldest first. */
  const writes = new Set<{ startedAt: number }>();
  const shutdown = new ShutdownGuard(options.signal, outage, connections.terminate);

  const withRetries = async <T>(
    attempt: () => Promise<T>,
    maxRetryMs = defaultMaxRetryMs,
    onlyReads = false,
  ): Promise<T> => {
    const deadline = performance.now() + maxRetryMs;
    for (let tries = 0; ; tries++) {
      const startedAt = performance.now();
      try {
        const answer = await shutdown.watch(attempt());
        if (!onlyReads || !outage.isReadOnly) outage.end(startedAt);
        return answer;
      } catch (error) {
        const isTransientError = canWaitFor(error);
        if (isTransientError && maxRetryMs > 0) outage.begin(error, startedAt);
        const isLate = performance.now() >= Math.min(deadline, shutdown.deadline());
        if ((!isTransientError && !isCollision(error)) || isLate || closing !== null) {
          throw databaseFailure(error, name);
        }
      }
      await outage.pause(Math.min(firstDelayMs * 2 ** tries, maxDelayMs) * (0.5 + Math.random()));
    }
  };
  const withClient = async <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    const client = await connections.acquire();
    let isBroken = false;
    try {
      return await work(client);
    } catch (error) {
      // A late answer could be taken for that of the next statement.
      isBroken = isTransient(error);
      throw error;
    } finally {
      client.release(isBroken);
    }
  };
  /** Whether a transaction was committed whose commit got no answer; waits for one in progress. */
  const wasCommitted = (token: string): Promise<boolean> =>
    withRetries(() =>
      withClient(async (client) => {
        // The primary key makes this insert wait for an open transaction with the same token.
        const { rowCount } = await client.query(`${insertToken} ON CONFLICT DO NOTHING`, [token]);
        return rowCount === 0;
      }),
    );
  const transact = async <T>(work: (sql: Sql) => Promise<T>): Promise<T> => {
    const token = randomUUID();
    let committing: { value: T } | null = null;
    try {
      return await withClient(async (client) => {
        return inTransaction(client, async () => {
          await client.query(insertToken, [token]);
          const value = await work(createSql(client));
          committing = { value };
          return value;
        });
      });
    } catch (error) {
      const result = committing as { value: T } | null;
      if (result !== null && isTransient(error) && (await wasCommitted(token))) return result.value;
      throw error;
    }
  };
  return {
    name,
    read: (work, maxRetryMs = Math.min(defaultMaxRetryMs, maxReadRetryMs)) =>
      withRetries(() => withClient((client) => work(createSql(client))), maxRetryMs, true),
    write: (work, maxRetryMs) => withRetries(() => transact(work), maxRetryMs),
    writeOnce: async (work, stored) => {
      const write = { startedAt: performance.now() };
      const unlessStored = (error: unknown) => (isDuplicate(error) ? stored : Promise.reject(error));
      const attempt = () => withClient((client) => work(createSql(client))).catch(unlessStored);
      // A worker keeps its answers for as long as the database is away.
      const maxRetryMs = options.isDaemon === true ? Number.POSITIVE_INFINITY : defaultMaxRetryMs;
      writes.add(write);
      return withRetries(attempt, maxRetryMs).finally(() => writes.delete(write));
    },
    writeLagMs: () => {
      const [oldest] = writes;
      return oldest === undefined ? 0 : performance.now() - oldest.startedAt;
    },
    writeRepeatable: (work, maxRetryMs) =>
      withRetries(() => withClient((client) => inTransaction(client, () => work(createSql(client)))), maxRetryMs),
    isRetryable,
    // The first connection of the permits or the listener ends an outage.
    connect: () => withRetries(connections.connect, 0, true),
    checkPooler: (maxRetryMs) => withRetries(connections.checkPooler, maxRetryMs, true),
    close: () => {
      shutdown.close();
      closing ??= connections.close();
      return closing;
    },
  };
}

/** The token of a transaction shows whether it was committed. PostgreSQL's transaction ids do not: they are reused after a crash. */
const insertToken = 'INSERT INTO mailvet.commits (token) VALUES ($1)';

async function inTransaction<T>(client: pg.PoolClient, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    const value = await work();
    await client.query('COMMIT');
    return value;
  } catch (error) {
    if (!isTransient(error)) await client.query('ROLLBACK');
    throw error;
  }
}

const wideNumbers = new Set([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);

/** Times and sums are safe integers, so they are read as numbers. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (wideNumbers.has(oid) ? Number : pg.types.getTypeParser(oid, format)),
};

function createSql(client: pg.PoolClient): Sql {
  const query = (text: string, values: readonly SqlValue[]): Promise<pg.QueryResult> =>
    client.query({ text, values: values.map(cleanValue), types });
  const all = async <Item>(statement: string, ...values: SqlValue[]): Promise<Item[]> =>
    (await query(statement, values)).rows.map((row) => decodeRow<Item>(row));
  return {
    all,
    get: async <Item>(statement: string, ...values: SqlValue[]) => (await all<Item>(statement, ...values))[0] ?? null,
    run: async (statement, ...values) => (await query(statement, values)).rowCount ?? 0,
  };
}
