import { localOwner } from '../../jobs/store/job-record.js';
import { openStore } from '../../jobs/store/open-store.js';
import { Failure } from '../../model/failure.js';
import type { CopyReport, MigrationReport, StoreReport } from '../../model/store-report.js';

/** Creates the store in a database. */
export async function migrateStore(address: string): Promise<MigrationReport> {
  const { migratePostgres } = await import('../../jobs/store/postgres/postgres-store.js');
  return migratePostgres(address);
}

/** Opens the store, writes to it, and looks for damage, which takes long in a large file. */
export async function checkStore(
  home: string,
  address: string | null,
  { looksForDamage = true } = {},
): Promise<StoreReport> {
  const { store, name } = await openStore({ home, address });
  try {
    const started = performance.now();
    await store.checkWritable();
    const writeMs = Math.round((performance.now() - started) * 10) / 10;
    const damage = looksForDamage ? await store.check() : [];
    const { total: jobs } = await store.listJobs(null, { skip: 0, limit: 1 });
    return {
      name,
      write_ms: writeMs,
      jobs,
      own_jobs: (await store.listJobs(localOwner, { skip: 0, limit: 1 })).total,
      keys: (await store.listKeys()).length,
      damage,
    };
  } finally {
    await store.close();
  }
}

/** Rejects unless the worker of this name is alive. */
export async function checkWorker(home: string, address: string | null, name: string): Promise<void> {
  const { store } = await openStore({ home, address });
  try {
    const { workers = [] } = (await store.clusterStats?.()) ?? {};
    if (workers.some((worker) => worker.name === name && worker.isAlive)) return;
    throw new Failure('unavailable', `No worker named ${name} is running.`, {
      hint: 'Its log says more. Give the name of the worker with --name.',
    });
  } finally {
    await store.close();
  }
}

/** Copies the store of the data directory into an empty one in a database: all of it, or nothing. */
export async function copyToDatabase(home: string, address: string): Promise<CopyReport> {
  const { copyStore } = await import('../../jobs/store/postgres/copy-store.js');
  return copyStore(home, address);
}
