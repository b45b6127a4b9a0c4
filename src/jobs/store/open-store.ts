import { join } from 'node:path';
import { type DiskFiles, openJobFiles } from '../uploads/job-files.js';
import type { JobFiles } from './files.js';
import type { Cluster } from './postgres/postgres-store.js';
import type { ProcessInfo } from './process-info.js';
import { openSqliteStore } from './sqlite/sqlite-store.js';
import type { JobStore } from './store.js';

/** The store with the files that belong to it, and what only this machine needs. */
export interface OpenedStore {
  /** For people: the file, or the database without user and password. */
  name: string;
  store: JobStore;
  files: JobFiles;
  disk: DiskFiles;
  /** Those who share the store; absent where it lies on this machine. */
  cluster?: Cluster;
}

/** Which store is meant. */
export interface StorePlace {
  /** The data directory. */
  home: string;
  /** The address of a PostgreSQL database; null: the store in the data directory. */
  address?: string | null;
  /** Told when a database goes away, and when it is back; and once where other processes keep us waiting. */
  onNote?(text: string): void;
  /** How others who have the same database open see this process. */
  card?: ProcessInfo;
}

/** Opens the store of a data directory, or one that several machines share. */
export async function openStore({ home, address = null, onNote, card }: StorePlace): Promise<OpenedStore> {
  const disk = openJobFiles(home);
  if (address === null) return openDirectory(disk, onNote);
  // Read only where it is used: it is as large as all the rest.
  const { openPostgres } = await import('./postgres/postgres-store.js');
  const { name, store, cluster, filesIn } = await openPostgres(address, {
    ...(card && { processInfo: card }),
    ...(onNote && { onNote }),
  });
  return { ...{ name, store, cluster, disk }, files: filesIn(openJobFiles(join(home, 'copies'))) };
}

async function openDirectory(disk: DiskFiles, onNote?: (text: string) => void): Promise<OpenedStore> {
  let told = false;
  const onWait = (): void => {
    if (!told) onNote?.('Waiting for other mailvet processes that use the job store.');
    told = true;
  };
  const store = await openSqliteStore(disk.storePath, { onWait });
  return { name: disk.storePath, store, files: disk, disk };
}
