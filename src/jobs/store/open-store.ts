import { join } from 'node:path';
import { type DiskFiles, openJobFiles } from '../uploads/job-files.js';
import type { JobFiles } from './files.js';
import type { Cluster, PostgresOptions } from './postgres/postgres-store.js';
import { openSqliteStore } from './sqlite/sqlite-store.js';
import type { JobStore } from './store.js';

/** The store, its files, and the files that only this machine needs. */
export interface OpenedStore {
  /** For messages: the file, or the database without user and password. */
  name: string;
  store: JobStore;
  files: JobFiles;
  disk: DiskFiles;
  /** Absent if the store is on this machine only. */
  cluster?: Cluster;
}

/** Where the store is. `onNote` is also called once when other processes block the store of a data directory. */
export interface StoreLocation extends Pick<PostgresOptions, 'maxConnections' | 'onNote' | 'processInfo' | 'signal'> {
  home: string;
  /** The address of a PostgreSQL database; null: the store in the data directory. */
  address?: string | null | undefined;
}

/** Opens the store of a data directory, or one that several machines share. */
export async function openStore(location: StoreLocation): Promise<OpenedStore> {
  const { home, address = null, ...options } = location;
  const disk = openJobFiles(home);
  if (address === null) return openDirectory(disk, options.onNote);
  // Loaded on demand: the module is as large as the rest of the program.
  const { openPostgres } = await import('./postgres/postgres-store.js');
  const { name, store, cluster, filesIn } = await openPostgres(address, options);
  return { name, store, cluster, disk, files: filesIn(openJobFiles(join(home, 'copies'))) };
}

async function openDirectory(disk: DiskFiles, onNote?: (text: string) => void): Promise<OpenedStore> {
  let isReported = false;
  const onWait = (): void => {
    if (!isReported) onNote?.('Waiting for other mailvet processes that use the job store.');
    isReported = true;
  };
  const store = await openSqliteStore(disk.storePath, { onWait });
  return { name: disk.storePath, store, files: disk, disk };
}
