// A process that writes to a store until it is killed: node store-child.mjs ADDRESS JOB
import { newIdentity } from '../../../src/disk/process-identity.js';
import { openPostgres } from '../../../src/jobs/store/postgres/postgres-store.js';
import type { DriverName } from '../../../src/jobs/store/sqlite/driver-registry.js';
import { openSqliteStore } from '../../../src/jobs/store/sqlite/sqlite-store.js';
import type { JobStore } from '../../../src/jobs/store/store.js';
import { batch, claim, result } from './store-lab.js';

async function open(address: string): Promise<JobStore> {
  if (address.startsWith('postgres:')) {
    return (await openPostgres(address, { beatMs: 200, silentMs: 1_500 })).store;
  }
  const [driver = '', path = ''] = address.split(' ');
  return openSqliteStore(path, { driver: driver as DriverName });
}

const [address = '', id = ''] = process.argv.slice(2);
const store = await open(address);
const worker = newIdentity();
const job = await claim(store, worker, { jobId: id });
for (let row = job?.processed ?? 0; ; row += 20) {
  const rows = Array.from({ length: 20 }, (_, offset) => result(row + offset));
  if (!(await store.saveBatch(batch(id, worker, rows)))) break;
  process.send?.(row + 20);
}
