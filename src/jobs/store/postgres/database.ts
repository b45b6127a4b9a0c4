import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { withTimeout } from '../../../async/with-timeout.js';
import { cleanValue, type StoredRow } from '../records.js';
import { databaseFailure, isCollision, isRetryable, isTransient, Outage } from './database-failure.js';
import type { StoreAddress } from './store-address.js';

type SqlValue = string | number | boolean | null | Buffer | readonly (string | number | boolean | null)[];

/** Statements of one connection. */
export interface Sql {
  /** Gives the number of changed rows. */
  run(statement: string, ...values: SqlValue[]): Promise<number>;
  get(statement: string, ...values: SqlValue[]): Promise<StoredRow | null>;
  all(statement: string, ...values: SqlValue[]): Promise<StoredRow[]>;
  /** Like `all`, as a prepared statement, for frequent queries. Must name its columns. */
  allPrepared(statement: string, ...values: SqlValue[]): Promise<StoredRow[]>;
}

/** A PostgreSQL database. Work that fails because the connection was lost runs again from its start, up to `maxRetryMs`. */
export interface Database {
  name: string;
  /** Statements that only read, without a transaction. */
  read<T>(work: (sql: Sql) => Promise<T>, maxRetryMs?: number): Promise<T>;
  /** One transaction, committed exactly once even if the connection is lost. */
  write<T>(work: (sql: Sql) => Promise<T>, maxRetryMs?: number): Promise<T>;
  /** A transaction that may run twice without harm. Needs no table of the store. */
  writeRepeatable<T>(work: (sql: Sql) => Promise<T>, maxRetryMs?: number): Promise<T>;
  /** Statements that may run twice without harm, without a transaction. */
  runRepeatable<T>(work: (sql: Sql) => Promise<T>, maxRetryMs?: number): Promise<T>;
  /** Whether the failure is a lost connection, which `onNote` reports. */
  isUnreachable(failure: unknown): boolean;
  /** Whether the failure, of an unreachable database or a lost conflict, may not occur again. */
  isRetryable(failure: unknown): boolean;
  /** A new connection, which the caller ends. */
  connect(): Promise<pg.Client>;
  /** A pool for the schema of a queue, which the caller ends. */
  poolIn(schema: string, maxConnections: number): pg.Pool;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** Connections at a time, besides the listener's. */
  maxConnections?: number;
  /** How long to wait for a lost database. */
  maxRetryMs?: number;
  /** Called once when the database is lost, and once when it is back. */
  onNote?(text: string): void;
}

const defaults = { maxConnections: 8, maxRetryMs: 60_000 };
/** Reads give up sooner: the caller can try again, and a long wait is no better than an error. */
const maxReadRetryMs = 10_000;
const connectMs = 5_000;
const endMs = 2_000;
const statementMs = 120_000;
const firstDelayMs = 50;
const maxDelayMs = 2_000;

/** Connects at the first statement. */
export function openDatabase(address: StoreAddress, options: DatabaseOptions = {}): Database {
  const { name, ...connection } = address;
  const { maxConnections, maxRetryMs: defaultMaxRetryMs } = { ...defaults, ...options };
  const config: pg.ClientConfig = {
    ...connection,
    application_name: 'mailvet',
    keepAlive: true,
    connectionTimeoutMillis: connectMs,
    query_timeout: statementMs,
  };
  const poolConfig: pg.PoolConfig = { ...config, onConnect: prepareConnection, allowExitOnIdle: true };
  const pool = openPool({ ...poolConfig, max: maxConnections, idleTimeoutMillis: 30_000 });
  const outage = new Outage(name, options.onNote ?? (() => {}));
  let closing: Promise<void> | null = null;

  const withRetries = async <T>(attempt: () => Promise<T>, maxRetryMs = defaultMaxRetryMs): Promise<T> => {
    const deadline = performance.now() + maxRetryMs;
    for (let tries = 0; ; tries++) {
      const startedAt = performance.now();
      try {
        const answer = await attempt();
        outage.end(startedAt);
        return answer;
      } catch (error) {
        const isTransientError = isTransient(error);
        if (isTransientError && maxRetryMs > 0) outage.begin(error, startedAt);
        if ((!isTransientError && !isCollision(error)) || performance.now() >= deadline || closing !== null) {
          throw databaseFailure(error, name);
        }
      }
      await backOff(tries);
    }
  };
  const withClient = async <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
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
      withRetries(() => withClient((client) => work(createSql(client))), maxRetryMs),
    write: (work, maxRetryMs) => withRetries(() => transact(work), maxRetryMs),
    writeRepeatable: (work, maxRetryMs) =>
      withRetries(() => withClient((client) => inTransaction(client, () => work(createSql(client)))), maxRetryMs),
    runRepeatable: (work, maxRetryMs) => withRetries(() => withClient((client) => work(createSql(client))), maxRetryMs),
    isUnreachable: isTransient,
    isRetryable,
    connect: async () => {
      const client = new pg.Client(config);
      client.on('error', () => {});
      await client.connect();
      return client;
    },
    poolIn: (schema, max) => openPool({ ...poolConfig, max, options: `-c search_path=${schema}` }),
    close: () => {
      closing ??= endPool(pool);
      return closing;
    },
  };
}

const openClients = new WeakMap<pg.Pool, Set<Pick<pg.Client, 'end'>>>();

function openPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config);
  const clients = new Set<Pick<pg.Client, 'end'>>();
  openClients.set(pool, clients);
  // A broken connection fails its statement, or is replaced at the next one.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => {});
    clients.add(client as unknown as pg.Client);
  });
  pool.on('remove', (client) => clients.delete(client as unknown as pg.Client));
  return pool;
}

/** Ends a pool. Connections that are never released are ended, too: they would keep the process alive. */
export async function endPool(pool: pg.Pool): Promise<void> {
  await withTimeout(pool.end(), endMs, new Error('not ended in time')).catch(() => {});
  for (const client of openClients.get(pool) ?? []) client.end().catch(() => {});
}

/** The token of a transaction tells whether it was committed. PostgreSQL's transaction ids do not: they are reused after a crash. */
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

/**
 * JIT compilation costs more than these short statements. Sequential scans are off since a plan cached while a table was empty
 * would stay in use when it is large.
 */
async function prepareConnection(client: pg.ClientBase): Promise<void> {
  await client.query('SET jit = off; SET enable_seqscan = off');
}

const statementNames = new Map<string, string>();

function nameOf(statement: string): string {
  const name = statementNames.get(statement) ?? `mailvet_${statementNames.size + 1}`;
  statementNames.set(statement, name);
  return name;
}

function backOff(tries: number): Promise<void> {
  const ms = Math.min(firstDelayMs * 2 ** tries, maxDelayMs) * (0.5 + Math.random());
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function createSql(client: pg.PoolClient): Sql {
  const query = (statement: string, values: readonly SqlValue[]): Promise<pg.QueryResult> =>
    client.query(statement, values.map(cleanValue));
  const queryPrepared = (statement: string, values: readonly SqlValue[]): Promise<pg.QueryResult> =>
    client.query({ name: nameOf(statement), text: statement, values: values.map(cleanValue) });
  return {
    allPrepared: async (statement, ...values) => (await queryPrepared(statement, values)).rows,
    run: async (statement, ...values) => (await query(statement, values)).rowCount ?? 0,
    get: async (statement, ...values) => (await query(statement, values)).rows[0] ?? null,
    all: async (statement, ...values) => (await query(statement, values)).rows,
  };
}
