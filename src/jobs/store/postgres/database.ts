import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { cleanValue } from '../clean-value.js';
import type { StoredRow } from '../records.js';
import { databaseFailure, isCollision, isTransient } from './database-failure.js';
import { openOutage } from './outage.js';
import type { StoreAddress } from './store-address.js';

/** All that may be bound. */
type SqlValue = string | number | boolean | null | Buffer | readonly (string | number | boolean | null)[];

/** Statements of one connection. */
export interface Sql {
  /** Gives the number of changed rows. */
  run(statement: string, ...values: SqlValue[]): Promise<number>;
  get(statement: string, ...values: SqlValue[]): Promise<StoredRow | null>;
  all(statement: string, ...values: SqlValue[]): Promise<StoredRow[]>;
  /** The same for what is asked many times a second: the database keeps how it is done. It names its columns. */
  often(statement: string, ...values: SqlValue[]): Promise<StoredRow[]>;
}

/** A PostgreSQL database. Work that fails because the database went away is done again from its start, until patience ends. */
export interface Database {
  name: string;
  /** Statements that only look, each on its own. */
  read<T>(work: (sql: Sql) => Promise<T>, patienceMs?: number): Promise<T>;
  /** One transaction; done once, whenever the connection is lost. */
  write<T>(work: (sql: Sql) => Promise<T>, patienceMs?: number): Promise<T>;
  /** The same for what does no harm when it is done twice; it needs no table of ours. */
  writeRepeatable<T>(work: (sql: Sql) => Promise<T>, patienceMs?: number): Promise<T>;
  /** Statements that do no harm when they are done twice, each on its own. */
  runRepeatable<T>(work: (sql: Sql) => Promise<T>, patienceMs?: number): Promise<T>;
  /** True of what fails because the database went away, of which it tells itself. */
  isAway(failure: unknown): boolean;
  /** A connection of its own, which the caller ends. */
  connect(): Promise<pg.Client>;
  /** Connections for a queue of its own schema, which the caller ends. */
  poolIn(schema: string, maxConnections: number): pg.Pool;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** Connections at a time, beside the one that listens. */
  maxConnections?: number;
  /** How long work waits for a database that went away. */
  patienceMs?: number;
  /** Told once when the database went away, and once when it is back. */
  onNote?(text: string): void;
}

const defaults = { maxConnections: 8, patienceMs: 60_000 };
/** Who only asks may ask again; a caller who waits for long is as good as one who was refused, and costs more. */
const readPatienceMs = 10_000;
const connectMs = 5_000;
const statementMs = 120_000;
const firstRestMs = 50;
const longestRestMs = 2_000;

/** Opens nothing until the first question. */
export function openDatabase(address: StoreAddress, options: DatabaseOptions = {}): Database {
  const { name, ...where } = address;
  const { maxConnections, patienceMs: usualPatienceMs } = { ...defaults, ...options };
  const config: pg.ClientConfig = {
    ...where,
    application_name: 'mailvet',
    keepAlive: true,
    connectionTimeoutMillis: connectMs,
    query_timeout: statementMs,
  };
  const poolConfig: pg.PoolConfig = { ...config, onConnect: prepareConnection, allowExitOnIdle: true };
  const pool = new pg.Pool({ ...poolConfig, max: maxConnections, idleTimeoutMillis: 30_000 });
  // A connection that breaks is told by the question that waits for it, or replaced by the next one.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const outage = openOutage(name, options.onNote ?? (() => {}));
  let closing: Promise<void> | null = null;

  const patiently = async <T>(attempt: () => Promise<T>, patienceMs = usualPatienceMs): Promise<T> => {
    const until = performance.now() + patienceMs;
    for (let tries = 0; ; tries++) {
      const askedAt = outage.now();
      try {
        const answer = await attempt();
        outage.ended(askedAt);
        return answer;
      } catch (error) {
        const passing = isTransient(error);
        if (passing && patienceMs > 0) outage.began(error, askedAt);
        if ((!passing && !isCollision(error)) || performance.now() >= until || closing !== null) {
          throw databaseFailure(error, name);
        }
      }
      await rest(tries);
    }
  };
  const withClient = async <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    let broken = false;
    try {
      return await work(client);
    } catch (error) {
      // A connection whose answer did not come may still be given one that belongs to another question.
      broken = isTransient(error);
      throw error;
    } finally {
      client.release(broken);
    }
  };
  /** Whether a transaction was committed whose commit was not answered; one that is under way is waited for. */
  const wasCommitted = (token: string): Promise<boolean> =>
    patiently(() =>
      withClient(async (client) => {
        // The same token cannot be written twice: this waits for whoever is about to.
        const { rowCount } = await client.query(`${noteToken} ON CONFLICT DO NOTHING`, [token]);
        return rowCount === 0;
      }),
    );
  const transact = async <T>(work: (sql: Sql) => Promise<T>): Promise<T> => {
    const token = randomUUID();
    let sent: { value: T } | null = null;
    try {
      return await withClient(async (client) => {
        return inTransaction(client, async () => {
          await client.query(noteToken, [token]);
          const value = await work(sqlOf(client));
          sent = { value };
          return value;
        });
      });
    } catch (error) {
      const asked = sent as { value: T } | null;
      if (asked !== null && isTransient(error) && (await wasCommitted(token))) return asked.value;
      throw error;
    }
  };
  return {
    name,
    read: (work, patienceMs = Math.min(usualPatienceMs, readPatienceMs)) =>
      patiently(() => withClient((client) => work(sqlOf(client))), patienceMs),
    write: (work, patienceMs) => patiently(() => transact(work), patienceMs),
    writeRepeatable: (work, patienceMs) =>
      patiently(() => withClient((client) => inTransaction(client, () => work(sqlOf(client)))), patienceMs),
    runRepeatable: (work, patienceMs) => patiently(() => withClient((client) => work(sqlOf(client))), patienceMs),
    isAway: isTransient,
    connect: async () => {
      const client = new pg.Client(config);
      client.on('error', () => {});
      await client.connect();
      return client;
    },
    poolIn: (schema, max) => {
      const made = new pg.Pool({ ...poolConfig, max, options: `-c search_path=${schema}` });
      made.on('error', () => {});
      made.on('connect', (client) => client.on('error', () => {}));
      return made;
    },
    close: () => {
      closing ??= pool.end();
      return closing;
    },
  };
}

/**
 * Each transaction leaves a token, by which its end can be asked where the answer was lost. PostgreSQL's own names for transactions
 * do not serve: after a crash they are given again.
 */
const noteToken = 'INSERT INTO mailvet.commits (token) VALUES ($1)';

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
 * Statements that take a millisecond gain nothing by being compiled, which takes a hundred. And the tables begin empty: a plan made
 * then reads all of a table, and a connection keeps it when there are a hundred thousand rows.
 */
async function prepareConnection(client: pg.ClientBase): Promise<void> {
  await client.query('SET jit = off; SET enable_seqscan = off');
}

/** Names by which the database keeps statements, on each connection. */
const names = new Map<string, string>();

function nameOf(statement: string): string {
  const name = names.get(statement) ?? `mailvet_${names.size + 1}`;
  names.set(statement, name);
  return name;
}

function rest(tries: number): Promise<void> {
  const ms = Math.min(firstRestMs * 2 ** tries, longestRestMs) * (0.5 + Math.random());
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function sqlOf(client: pg.PoolClient): Sql {
  const ask = (statement: string, values: readonly SqlValue[]): Promise<pg.QueryResult> =>
    client.query(statement, values.map(cleanValue));
  const askOften = (statement: string, values: readonly SqlValue[]): Promise<pg.QueryResult> =>
    client.query({ name: nameOf(statement), text: statement, values: values.map(cleanValue) });
  return {
    often: async (statement, ...values) => (await askOften(statement, values)).rows,
    run: async (statement, ...values) => (await ask(statement, values)).rowCount ?? 0,
    get: async (statement, ...values) => (await ask(statement, values)).rows[0] ?? null,
    all: async (statement, ...values) => (await ask(statement, values)).rows,
  };
}
