import { randomBytes } from 'node:crypto';
import type { MigrationReport } from '../../../model/store-report.js';
import type { DiskFiles } from '../../uploads/job-files.js';
import type { JobFiles } from '../files.js';
import { type HashAddress, hashAddress } from '../packed-verdict.js';
import type { JobStore } from '../store.js';
import { readClusterStats } from './cluster-stats.js';
import { type Database, type DatabaseOptions, openDatabase, type Sql } from './database.js';
import { postgresFiles } from './files.js';
import { type Heartbeat, type HeartbeatOptions, openHeartbeat } from './heartbeat.js';
import { postgresJobQueries } from './job-queries.js';
import { postgresJobTransitions } from './job-transitions.js';
import { postgresKeys, refundAbandoned } from './keys-table.js';
import { type Listener, openListener } from './listener.js';
import { checkVersion, migrate, readVersion } from './schema.js';
import { postgresSessions } from './sessions-table.js';
import { parseStoreAddress } from './store-address.js';
import { postgresUploads } from './uploads-table.js';
import { postgresUsage } from './usage-table.js';
import { postgresCache } from './verdict-cache.js';

export type PostgresOptions = DatabaseOptions & Pick<HeartbeatOptions, 'beatMs' | 'silentMs' | 'processInfo'>;

/** What those who share the database share beside the store. Closed with the store. */
export interface Cluster {
  database: Database;
  /** This process among the others. */
  heartbeat: Heartbeat;
  listener: Listener;
}

/** A store in PostgreSQL, and its files, read from copies on this machine. */
interface PostgresStore {
  /** The database, without user and password. */
  name: string;
  store: JobStore;
  cluster: Cluster;
  filesIn(copies: DiskFiles): JobFiles;
}

/** Opens the store in a PostgreSQL database; safe for any number of processes of any number of machines. */
export async function openPostgres(address: string, options: PostgresOptions = {}): Promise<PostgresStore> {
  const database = openDatabase(parseStoreAddress(address), options);
  try {
    const hide = await database.read(async (sql) => {
      checkVersion(database.name, await readVersion(sql));
      return readSecret(sql);
    }, 0);
    const heartbeat = openHeartbeat(database, { ...options, onBeat: openTidying(database) });
    // Whoever runs for long is seen from the start; a command, when it takes on work.
    if ((options.processInfo?.kind ?? 'command') !== 'command') await heartbeat.signIn();
    const cluster = { database, heartbeat, listener: openListener(database) };
    return {
      name: database.name,
      cluster,
      store: storeOn(cluster, hide),
      filesIn: (copies) => postgresFiles(database, copies),
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Makes the store, or brings it to the version of this program. */
export async function migratePostgres(address: string): Promise<MigrationReport> {
  const database = openDatabase(parseStoreAddress(address));
  try {
    const found = await database.read(readVersion, 0);
    const moved = await migrate(database, makeSecret);
    const { migrateQueue } = await import('./migrate-queue.js');
    await migrateQueue(database);
    return { name: database.name, ...moved, from: found };
  } finally {
    await database.close();
  }
}

function storeOn({ database, heartbeat, listener }: Cluster, hide: HashAddress): JobStore {
  let closing: Promise<void> | null = null;
  return {
    ...postgresUploads(database),
    ...postgresJobQueries(database),
    ...postgresJobTransitions(database, heartbeat, hide),
    ...postgresCache(database, hide),
    ...postgresKeys(database, heartbeat),
    ...postgresSessions(database),
    ...postgresUsage(database),
    // PostgreSQL does that by itself (autovacuum).
    compact: async () => {},
    clusterFigures: () => readClusterStats(database),
    changeMark: () => listener.mark(),
    checkWritable: () => heartbeat.beat(0),
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

/** How long a process is remembered after its last sign of life, and a commit for who lost its answer. */
const rememberMs = 10 * 60_000;

/** Signs of life between two looks at what the dead had reserved, and between two clearings. */
const refundBeats = 5;
const clearBeats = 60;

/** What a dead process left is put in order by the living. */
function openTidying(database: Database): () => Promise<void> {
  let beats = 0;
  return async () => {
    beats++;
    if (beats % refundBeats === 0) await refundAbandoned(database);
    if (beats % clearBeats === 0) await clearOld(database);
  };
}

async function clearOld(database: Database): Promise<void> {
  await database.writeRepeatable(async (sql) => {
    await sql.run('DELETE FROM mailvet.workers WHERE alive_until < mailvet.now_ms() - $1', rememberMs);
    await sql.run('DELETE FROM mailvet.commits WHERE at < mailvet.now_ms() - $1', rememberMs);
  });
}

/** What cannot be where every transaction was whole. */
async function findDamage(sql: Sql): Promise<string[]> {
  const lost = await sql.all(
    `SELECT id FROM mailvet.jobs WHERE NOT EXISTS (SELECT FROM mailvet.files WHERE files.id = jobs.id AND whole)
     AND state IN ('queued', 'running') ORDER BY num LIMIT 10`,
  );
  return lost.map(({ id }) => `the addresses of job ${id} are missing`);
}

/** Addresses that are remembered are hidden by a secret that all machines share. */
async function makeSecret(sql: Sql): Promise<void> {
  const secret = randomBytes(32);
  await sql.run(`INSERT INTO mailvet.secrets VALUES ('cache', $1) ON CONFLICT DO NOTHING`, secret);
}

async function readSecret(sql: Sql): Promise<HashAddress> {
  const row = await sql.get(`SELECT value FROM mailvet.secrets WHERE name = 'cache'`);
  const secret = row?.['value'];
  return hashAddress(() => (Buffer.isBuffer(secret) ? secret : randomBytes(32)));
}
