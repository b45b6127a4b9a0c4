// One process of the tests that need several: node job-child.mjs ROLE HOME DRIVER [ARGUMENT]
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openFileLock } from '../../../src/disk/file-lock.js';
import { createRunner } from '../../../src/jobs/run/runner.js';
import type { DriverName } from '../../../src/jobs/store/sqlite/driver-registry.js';
import { openSqliteStore } from '../../../src/jobs/store/sqlite/sqlite-store.js';
import { openJobFiles } from '../../../src/jobs/uploads/job-files.js';
import { createUploads } from '../../../src/jobs/uploads/uploads.js';
import { askerOf } from '../../fakes/asker.js';
import { canonical, knownAnswer, plainReader } from '../../fakes/job-lab.js';

const [role = '', home = '', driver = 'wasm', argument = ''] = process.argv.slice(2);
const files = openJobFiles(home);

/** Runs jobs until this many are done; reports which addresses it asks for, and which rows are done. */
async function work(): Promise<void> {
  const store = await openSqliteStore(files.storePath, { driver: driver as DriverName });
  const log = openSync(join(home, 'log'), 'a');
  const runner = createRunner({
    store,
    files,
    canonical,
    maxOpen: () => 20,
    batchRows: 50,
    flushMs: 20,
    openAsker: async () =>
      askerOf(async (email) => {
        writeSync(log, `ask ${email}\n`);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 2));
        return knownAnswer(email);
      }),
    onProgress: ({ processed }) => writeSync(log, `done ${processed}\n`),
  });
  process.send?.('working');
  for (;;) {
    const ran = await runner.runNext();
    if (ran !== null) continue;
    const { jobs, total } = await store.listJobs('local', { skip: 0, limit: 100 });
    if (total >= Number(argument) && jobs.every(({ state }) => state === 'completed')) break;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await store.close();
}

async function upload(): Promise<void> {
  const store = await openSqliteStore(files.storePath, { driver: driver as DriverName });
  const uploads = createUploads({ store, files, reader: plainReader, canonical });
  const { upload_id } = await uploads.preview({ path: argument, filename: 'list.csv' }, 'local');
  await uploads.confirm(upload_id, 'email', 'local');
  await store.close();
}

/** Polls all jobs until none is open; fails if a count ever decreases. */
async function watch(): Promise<void> {
  const store = await openSqliteStore(files.storePath, { driver: driver as DriverName });
  const seen = new Map<string, number>();
  for (let open = true; open; ) {
    const { jobs, total } = await store.listJobs('local', { skip: 0, limit: 100 });
    for (const job of jobs) {
      if (job.processed < (seen.get(job.id) ?? 0)) throw new Error('a count went back');
      seen.set(job.id, job.processed);
    }
    open = total < Number(argument) || jobs.some(({ state }) => state !== 'completed');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await store.close();
}

/** Takes a lock and keeps it until killed. */
async function holdLock(): Promise<void> {
  const lock = openFileLock(argument);
  process.send?.(lock.tryAcquire());
  await new Promise(() => setInterval(() => {}, 1000));
}

/** Has the store open until killed. */
async function holdStore(): Promise<void> {
  await openSqliteStore(files.storePath, { driver: driver as DriverName });
  process.send?.('open');
  await new Promise(() => setInterval(() => {}, 1000));
}

const roles: Record<string, () => Promise<void>> = {
  work,
  upload,
  watch,
  'hold-lock': holdLock,
  'hold-store': holdStore,
};
await roles[role]?.();
process.disconnect?.();
