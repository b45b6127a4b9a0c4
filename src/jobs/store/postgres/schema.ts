import { Failure } from '../../../model/failure.js';
import { clusterSchema, otherVersion, postgresDialect, schemaVersion, sharedSchema } from '../schema.js';
import { storeSchema } from './connections.js';
import type { Database, Sql } from './database.js';

/** The advisory lock of a migration: an arbitrary number. */
const migrationLock = 7_263_845_110_921;

/** Creates the store in an empty database, and returns the version before. Throws for the store of another version. */
export async function migrate(database: Database, makeSecrets: (sql: Sql) => Promise<void>): Promise<number> {
  return database.writeRepeatable(async (sql) => {
    await sql.run('SELECT pg_advisory_xact_lock($1)', migrationLock);
    const version = await readVersion(sql);
    if (version === 0) {
      await sql.run(`CREATE SCHEMA IF NOT EXISTS ${storeSchema}`);
      await sql.run(sharedSchema(postgresDialect));
      await sql.run(clusterSchema);
      await makeSecrets(sql);
      await sql.run('INSERT INTO version VALUES ($1)', schemaVersion);
    } else checkVersion(database.name, version);
    return version;
  });
}

/** The version of the store; 0 if there is none. */
export async function readVersion(sql: Sql): Promise<number> {
  // to_regclass would cache that there is no table while another process creates it.
  const table = await sql.get(`SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = 'version'`, storeSchema);
  if (table === null) return 0;
  return (await sql.get<{ version: number }>(`SELECT version FROM ${storeSchema}.version`))?.version ?? 0;
}

/** Throws if the database has no store of this version. */
export function checkVersion(name: string, version: number): void {
  if (version === schemaVersion) return;
  if (version === 0)
    throw new Failure('storage', `The database ${name} contains no mailvet store yet.`, {
      hint: 'Prepare it with: mailvet store migrate',
    });
  const remove = `run DROP SCHEMA ${storeSchema} CASCADE in it, and mailvet store migrate`;
  throw otherVersion(`The store in the database ${name}`, version, { remove, elsewhere: 'use another database' });
}
