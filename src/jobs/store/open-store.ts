import { type DiskFiles, openJobFiles } from '../uploads/job-files.js';
import type { JobFiles } from './files.js';
import { openSqliteStore } from './sqlite/sqlite-store.js';
import type { JobStore } from './store.js';

/** The store with the files that belong to it, and what only this machine needs. */
export interface OpenedStore {
  store: JobStore;
  files: JobFiles;
  disk: DiskFiles;
}

/** Opens the store of a data directory. */
export async function openStore(home: string): Promise<OpenedStore> {
  const disk = openJobFiles(home);
  return { store: await openSqliteStore(disk.storePath), files: disk, disk };
}
