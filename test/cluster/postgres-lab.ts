import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newIdentity } from '../../src/disk/process-identity.js';
import { openPostgres, type PostgresOptions } from '../../src/jobs/store/postgres/postgres-store.js';
import type { JobStore } from '../../src/jobs/store/store.js';
import { openJobFiles } from '../../src/jobs/uploads/job-files.js';
import { createUploads } from '../../src/jobs/uploads/uploads.js';
import type { StoreLab } from '../contract/store/store-lab.js';
import { canonical, makeHome, plainReader } from '../fakes/job-lab.js';
import type { Postgres } from './postgres.js';

/** Frequent heartbeats and short leases, so that a killed process is noticed soon. */
const quick = { beatMs: 200, silentMs: 1_500 };
/** Never seen alive. */
const dead = { beatMs: 2 ** 31 - 1, silentMs: -1 };

/** A new store on a server. */
export async function openPostgresLab(server: Postgres, options: PostgresOptions = {}): Promise<StoreLab> {
  const home = makeHome();
  const address = await server.makeStore();
  const { store, filesIn } = await openPostgres(address, { ...quick, ...options });
  const files = filesIn(openJobFiles(join(home, 'copies')));
  const others: JobStore[] = [];
  const openWith = async (how: PostgresOptions): Promise<JobStore> => {
    const opened = await openPostgres(address, how);
    others.push(opened.store);
    return opened.store;
  };
  return {
    ...{ home, store, files, address },
    uploads: createUploads({ store, files, reader: plainReader, canonical }),
    openAnother: () => openWith(quick),
    openDead: async () => ({ store: await openWith(dead), worker: newIdentity() }),
    write: (text, name = 'list.csv') => {
      const path = join(home, name);
      writeFileSync(path, text);
      return path;
    },
    close: async () => {
      for (const each of [store, ...others]) await each.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
