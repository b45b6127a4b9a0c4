// Rows per second from a list to committed results, with an engine that answers at once, compared with one prepared INSERT per row in the
// same SQLite. Also the memory of a long list. Usage: node bench/jobs.mjs [--rows 100000] [--long 1000000]

import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { interleave, milliseconds, report } from './measure.mjs';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    long: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '3' },
  },
});
const rows = Number(values.rows);
const longRows = Number(values.long);
const batchRows = 1000;
const root = join(import.meta.dirname, '..');
const home = mkdtempSync(join(tmpdir(), 'mailvet-bench-'));
const bundle = join(root, 'node_modules/.cache/mailvet-bench', `jobs-${process.pid}.mjs`);
await build({
  stdin: {
    contents: `export { openJobFiles } from './src/jobs/uploads/job-files.js';
      export { openSqliteStore } from './src/jobs/store/sqlite/sqlite-store.js';
      export { createUploads } from './src/jobs/uploads/uploads.js';
      export { createRunner } from './src/jobs/run/runner.js';
      export { csvReader } from './src/service/local/open-jobs.js';
      export { createListMailboxes } from './src/lists/hash-set.js';`,
    resolveDir: root,
  },
  outfile: bundle,
  bundle: true,
  format: 'esm',
  platform: 'node',
  external: ['node-sqlite3-wasm'],
  logLevel: 'error',
});
const { openJobFiles, openSqliteStore, createUploads, createRunner, csvReader, createListMailboxes } = await import(
  bundle
);

const verdict = { status: 'valid', sub_status: '', confidence: 0.95, safe_to_send: true, did_you_mean: null };
const answer = Promise.resolve(verdict);
const canonical = (email) => email;
let storeCount = 0;

async function openStore() {
  const files = openJobFiles(join(home, `store-${storeCount++}`));
  const store = await openSqliteStore(files.storePath);
  return {
    files,
    store,
    uploads: createUploads({
      store,
      files,
      reader: csvReader,
      canonical,
      createListMailboxes: () => createListMailboxes(longRows),
    }),
  };
}

async function writeList(path, count) {
  const stream = createWriteStream(path);
  stream.write('id,email\n');
  for (let row = 0; row < count; row += 1000) {
    let text = '';
    for (let index = row; index < Math.min(count, row + 1000); index++)
      text += `${index},person${(index * 7919) % count}@host${index % 500}.example\n`;
    if (!stream.write(text)) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'finish');
}

/** Milliseconds to run the job of a confirmed list: read, dedupe, ask, commit. */
async function runJob(list, cacheVerdicts) {
  const { files, store, uploads } = await openStore();
  const { upload_id } = await uploads.preview({ path: list, filename: 'list.csv' }, 'local');
  await uploads.confirm(upload_id, 'email', 'local');
  const target = cacheVerdicts
    ? store
    : { ...store, saveBatch: (batch) => store.saveBatch({ ...batch, cache: { scope: '', entries: [] } }) };
  const runner = createRunner({ store: target, files, canonical, openVet: async () => () => answer, batchRows });
  const ms = await milliseconds(async () => {
    while ((await runner.runNext()) !== null);
  });
  const { jobs } = await store.listJobs('local', { skip: 0, limit: 100 });
  if (jobs.reduce((sum, job) => sum + job.processed, 0) !== rows) throw new Error('Rows are missing.');
  await store.close();
  return ms;
}

/** Milliseconds for one prepared INSERT per row, with the batch size and durability of the runner. */
async function bareInserts() {
  const path = join(home, `bare-${storeCount++}.db`);
  const database = openBare(path);
  database.exec(
    'CREATE TABLE results (job INTEGER, row INTEGER, status TEXT, sub_status TEXT, confidence REAL, safe INTEGER, did_you_mean TEXT, PRIMARY KEY (job, row)) WITHOUT ROWID',
  );
  const insert = database.prepare('INSERT INTO results VALUES (?, ?, ?, ?, ?, ?, ?)');
  const ms = await milliseconds(() => {
    for (let row = 0; row < rows; ) {
      database.exec('BEGIN');
      for (const end = Math.min(rows, row + batchRows); row < end; row++) insert(1, row, 'valid', '', 0.95, 1, null);
      database.exec('COMMIT');
    }
  });
  database.close();
  return ms;
}

function openBare(path) {
  const native = process.getBuiltinModule('node:sqlite');
  if (native !== undefined) {
    const database = new native.DatabaseSync(path);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    const prepare = (sql) => {
      const statement = database.prepare(sql);
      return (...cells) => statement.run(...cells);
    };
    return { exec: (sql) => database.exec(sql), prepare, close: () => database.close() };
  }
  const { Database } = createRequire(import.meta.url)('node-sqlite3-wasm');
  const database = new Database(path);
  database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  let statement;
  const prepare = (sql) => {
    statement = database.prepare(sql);
    return (...cells) => statement.run(cells);
  };
  const close = () => {
    statement.finalize();
    database.close();
  };
  return { exec: (sql) => database.exec(sql), prepare, close };
}

/** Peak memory in the first two fifths and in the last fifth of a long list. */
async function memoryOf(list) {
  const { files, store, uploads } = await openStore();
  const { upload_id } = await uploads.preview({ path: list, filename: 'long.csv' }, 'local');
  const jobs = await uploads.confirm(upload_id, 'email', 'local');
  const peaks = new Array(jobs.length).fill(0);
  const runner = createRunner({ store, files, canonical, openVet: async () => () => answer, batchRows });
  for (let job = 0; job < jobs.length; job++) {
    const watch = setInterval(() => {
      peaks[job] = Math.max(peaks[job], process.memoryUsage.rss());
    }, 20);
    await runner.runNext();
    clearInterval(watch);
    peaks[job] = Math.max(peaks[job], process.memoryUsage.rss());
  }
  await store.close();
  const fifth = Math.max(1, Math.floor(jobs.length / 5));
  return { first: Math.max(...peaks.slice(0, 2 * fifth)), last: Math.max(...peaks.slice(-fifth)), jobs: jobs.length };
}

try {
  const list = join(home, 'list.csv');
  await writeList(list, rows);
  const rounds = Number(values.rounds);
  const medians = await interleave(
    { ours: () => runJob(list, false), caching: () => runJob(list, true), bare: bareInserts },
    rounds,
  );
  const rate = (ms) => (rows / ms) * 1000;
  const driver = process.getBuiltinModule('node:sqlite') === undefined ? 'wasm' : 'node:sqlite';
  const peer = { bench: 'jobs', peer: rate(medians.bare), peerName: `bare inserts (${driver})`, unit: 'rows/s' };
  const reportRate = (what, ms, goal) => report({ ...peer, what, ours: rate(ms), ratio: medians.bare / ms, goal });
  reportRate('results committed', medians.ours, '>= 0.4');
  reportRate('results committed, stored for --max-age', medians.caching, 'informative');
  if (longRows > 0) {
    const long = join(home, 'long.csv');
    await writeList(long, longRows);
    const { first, last, jobs } = await memoryOf(long);
    report({
      bench: 'jobs',
      what: `memory of ${longRows.toLocaleString('en-US')} rows in ${jobs} jobs, last fifth`,
      ours: last / 1e6,
      peer: first / 1e6,
      peerName: 'first two fifths',
      unit: 'MB',
      ratio: last / first,
      goal: '<= 1.25',
    });
  }
} finally {
  rmSync(home, { recursive: true, force: true });
  rmSync(bundle, { force: true });
}
