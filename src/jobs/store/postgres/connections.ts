import pg from 'pg';
import { withTimeout } from '../../../async/with-timeout.js';
import { Failure } from '../../../model/failure.js';
import type { StoreAddress } from './store-address.js';

/** The schema of the tables of the store. */
export const storeSchema = 'mailvet';

/** The connections of a process to its database. */
interface Connections {
  /** A connection of the pool, which the caller releases. */
  acquire(): Promise<pg.PoolClient>;
  /** A new connection outside the pool, which the caller ends. */
  connect(): Promise<pg.Client>;
  /** Throws for a pooler that assigns connections by transaction. */
  checkPooler(): Promise<void>;
  /** Waits a moment for statements in progress, and closes all connections. */
  close(): Promise<void>;
  /** Closes all connections at once, which fails the statements in progress and all later ones. */
  terminate(): void;
}

const connectMs = 5_000;
/** The longest wait for a connection of the pool. */
const acquireMs = 20_000;
const idleMs = 10_000;
const endMs = 2_000;
const statementMs = 120_000;

/** Of at most `maxConnections` in the pool. */
export function openConnections({ name, ...address }: StoreAddress, maxConnections: number): Connections {
  const config: pg.ClientConfig = {
    ...address,
    application_name: 'mailvet',
    keepAlive: true,
    connectionTimeoutMillis: connectMs,
    query_timeout: statementMs,
  };
  /** All connections, also those that are not established yet. */
  const clients = new Set<pg.Client>();
  class Client extends pg.Client {
    // The pool's own configuration would be the same for every connection.
    constructor() {
      super(config);
      clients.add(this);
      this.once('end', () => clients.delete(this));
      // A broken connection fails its statement, or is replaced at the next one.
      this.on('error', () => {});
    }
  }
  const pool = new pg.Pool({
    Client,
    onConnect: prepareConnection,
    allowExitOnIdle: true,
    max: maxConnections,
    connectionTimeoutMillis: acquireMs,
    idleTimeoutMillis: idleMs,
  });
  pool.on('error', () => {});
  let ending: Promise<void> | null = null;
  const end = (): Promise<void> => {
    ending ??= pool.end();
    return ending;
  };
  /** The callers that wait for a connection. A pool that ends leaves them to their timeout. */
  const waiting = new Set<(error: Error) => void>();
  const acquire = (): Promise<pg.PoolClient> =>
    new Promise((resolve, reject) => {
      if (ending !== null) throw connectionClosed();
      waiting.add(reject);
      pool.connect().then(
        (client) => {
          if (waiting.delete(reject)) resolve(client);
          else client.release(true);
        },
        (error) => {
          waiting.delete(reject);
          reject(error);
        },
      );
    });
  /** An open socket to a server that does not answer would keep the process alive. */
  const destroyAll = (): void => {
    for (const { connection } of clients) connection.stream.destroy();
    for (const reject of waiting) reject(connectionClosed());
    waiting.clear();
  };
  const connect = async (): Promise<pg.Client> => {
    if (ending !== null) throw connectionClosed();
    const client = new Client();
    await client.connect();
    return client;
  };
  return {
    ...{ acquire, connect },
    checkPooler: () => checkPooler(pool, connect, name),
    close: async () => {
      await withTimeout(end(), endMs, new Error('not ended in time')).catch(() => {});
      destroyAll();
    },
    terminate: () => {
      end().catch(() => {});
      destroyAll();
    },
  };
}

/** Ends a connection outside the pool. An open socket to an unreachable server would keep the process alive. */
export async function endConnection(client: pg.Client): Promise<void> {
  await withTimeout(client.end(), endMs, new Error('not ended in time')).catch(() => {});
  client.connection.stream.destroy();
}

/** SQLSTATE 08003: connection_does_not_exist. */
function connectionClosed(): Error {
  return Object.assign(new Error('this process closed its connections'), { code: '08003' });
}

/**
 * JIT compilation costs more than these short statements. Plans are not cached: one that was made while a table was empty
 * would stay in use when it is large. Statements name no schema. A machine that vanishes inside a transaction holds its locks only
 * for as long as the timeouts allow. They are set here, since PgBouncer refuses them as startup parameters.
 */
async function prepareConnection(client: pg.ClientBase): Promise<void> {
  await client.query(
    `SET jit = off; SET plan_cache_mode = force_custom_plan; SET search_path = ${storeSchema};
     SET idle_in_transaction_session_timeout = '10s'; SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2;
     SET tcp_keepalives_count = 3; SET tcp_user_timeout = 10000;
     SELECT set_config('statement_timeout', '${statementMs}', false) WHERE current_setting('statement_timeout') = '0'`,
  );
}

/**
 * PgBouncer assigns its own process id to a client. If a second client gets the server connection of a first one that is still
 * connected, the pooler assigns them by transaction: notifications and prepared statements would be lost.
 */
async function checkPooler(pool: pg.Pool, connect: () => Promise<pg.Client>, name: string): Promise<void> {
  const first = await pool.connect();
  try {
    const serverId = await readServerId(first);
    if (serverId === (first as unknown as { processID: number }).processID) return;
    const second = await connect();
    try {
      const isShared = serverId === (await readServerId(second)) || serverId !== (await readServerId(first));
      if (isShared) throw transactionPooling(name);
    } finally {
      await second.end();
    }
  } finally {
    first.release();
  }
}

async function readServerId(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ id: number }>('SELECT pg_backend_pid() AS id');
  return rows[0]?.id ?? 0;
}

function transactionPooling(name: string): Failure {
  return new Failure('storage', `The connection pooler at ${name} assigns connections by transaction.`, {
    hint: 'mailvet needs pool_mode = session there (LISTEN, prepared statements), or the address of PostgreSQL itself.',
  });
}
