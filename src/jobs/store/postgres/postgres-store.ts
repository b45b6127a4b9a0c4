import { randomBytes } from 'node:crypto';
import { onAbort } from '../../../async/on-abort.js';
import type { MigrationReport } from '../../../model/store-report.js';
import type { DiskFiles } from '../../uploads/job-files.js';
import { type AddressCipher, createAddressCipher } from '../address-cipher.js';
import { refundAbandoned } from '../credits.js';
import { schemaVersion } from '../schema.js';
import type { SqlBackend } from '../sql.js';
import { type JobStore, sharedTables } from '../store.js';
import { postgresBackend } from './backend.js';
import { readClusterStats } from './cluster-stats.js';
import { type Database, type DatabaseOptions, openDatabase, type Sql } from './database.js';
import { postgresFiles } from './files.js';
import { type Heartbeat, type HeartbeatOptions, openHeartbeat } from './heartbeat.js';
import { type Listener, openListener } from './listener.js';
import { checkVersion, migrate, readVersion } from './schema.js';
import { claimSlice, saveBatch } from './slices.js';

export type PostgresOptions = DatabaseOptions & Pick<HeartbeatOptions, 'beatMs' | 'silentMs' | 'processInfo'>;

/** What the processes of a cluster share besides the store. Closed with the store. */
export interface Cluster {
  database: Database;
  heartbeat: Heartbeat;
  listener: Listener;
}

/** Opens the store in a PostgreSQL database; safe for any number of processes on any number of machines. */
export async function openPostgres(address: string, options: PostgresOptions = {}) {
  const isDaemon = (options.processInfo?.kind ?? 'command') !== 'command';
  const database = openDatabase(address, { ...options, isDaemon });
  const { signal } = options;
  const ignoreAbort = signal === undefined ? () => {} : onAbort(signal, () => void database.close());
  try {
    // A server or worker may start before its database; a command ends at once.
    const maxRetryMs = isDaemon ? Number.POSITIVE_INFINITY : 0;
    await database.checkPooler(maxRetryMs);
    const hash = await database.read(async (sql) => {
      checkVersion(database.name, await readVersion(sql));
      return readSecret(sql);
    }, maxRetryMs);
    let beats = 0;
    const listener = openListener(database);
    const heartbeat = openHeartbeat(database, {
      ...options,
      onBeat: () => cleanUp(database, backend, ++beats),
    });
    const backend = postgresBackend(database, heartbeat);
    // A server or worker is visible from its start, a command only once it works.
    if (isDaemon) await heartbeat.register(maxRetryMs);
    const cluster = { database, heartbeat, listener };
    return {
      /** The database, without user and password. */
      name: database.name,
      cluster,
      store: createStore(cluster, backend, hash),
      /** The files of the store, read from copies on this machine. */
      filesIn: (copies: DiskFiles) => postgresFiles(database, copies),
    };
  } catch (error) {
    await database.close();
    signal?.throwIfAborted();
    throw error;
  } finally {
    ignoreAbort();
  }
}

/** Creates the store unless the database has it. */
export async function migratePostgres(address: string): Promise<MigrationReport> {
  const database = openDatabase(address);
  try {
    const from = await migrate(database, makeSecret);
    return { name: database.name, from, to: schemaVersion };
  } finally {
    await database.close();
  }
}

function createStore({ database, heartbeat, listener }: Cluster, backend: SqlBackend, hash: AddressCipher): JobStore {
  let closing: Promise<void> | null = null;
  const tables = sharedTables(backend, hash);
  return {
    ...tables,
    announceWorker: async () => {},
    claimJob: claimSlice(database, heartbeat),
    saveBatch: saveBatch(database, tables),
    // Autovacuum returns unused space.
    compact: async () => {},
    clusterStats: () => readClusterStats(database),
    changeToken: () => listener.changeToken(),
    checkWritable: async () => {
      await heartbeat.beat(0);
    },
    check: () =>
      database.read(async (sql) => {
        checkVersion(database.name, await readVersion(sql));
        return findDamage(sql);
      }),
    close: () => {
      closing ??= (async () => {
        await listener.close();
        await heartbeat.close();
        await database.close();
      })();
      return closing;
    },
  };
}

/** How long dead processes and commit tokens are kept. */
const keepMs = 10 * 60_000;

/** Heartbeats between two refunds, and between two deletions. */
const refundBeats = 5;
const deleteBeats = 60;

async function cleanUp(database: Database, backend: SqlBackend, beats: number): Promise<void> {
  if (beats % refundBeats === 0) await refundAbandoned(backend);
  if (beats % deleteBeats !== 0) return;
  await database.writeRepeatable(async (sql) => {
    await sql.run('DELETE FROM mailvet.workers WHERE alive_until < mailvet.now_ms() - $1', keepMs);
    await sql.run('DELETE FROM mailvet.commits WHERE at < mailvet.now_ms() - $1', keepMs);
  });
}

/** Damage that no complete transaction can have caused. */
async function findDamage(sql: Sql): Promise<string[]> {
  const rows = await sql.all<{ id: string }>(
    `SELECT id FROM mailvet.jobs WHERE NOT EXISTS (SELECT FROM mailvet.files WHERE files.id = jobs.id AND whole)
     AND state IN ('queued', 'running') ORDER BY num LIMIT 10`,
  );
  return rows.map(({ id }) => `the addresses of job ${id} are missing`);
}

/** All machines share the secret that hides addresses. */
async function makeSecret(sql: Sql): Promise<void> {
  const secret = randomBytes(32);
  await sql.run(`INSERT INTO mailvet.secrets VALUES ('answers', $1) ON CONFLICT DO NOTHING`, secret);
}

async function readSecret(sql: Sql): Promise<AddressCipher> {
  const secret = await sql.get<{ value: Buffer }>(`SELECT value FROM mailvet.secrets WHERE name = 'answers'`);
  return createAddressCipher(() => secret?.value ?? randomBytes(32));
}
