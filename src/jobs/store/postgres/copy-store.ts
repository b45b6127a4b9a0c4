import { createReadStream, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../../model/failure.js';
import type { CopyReport } from '../../../model/store-report.js';
import { linesIn } from '../../uploads/email-record.js';
import { openJobFiles } from '../../uploads/job-files.js';
import { sliceRows } from '../job-record.js';
import type { SqlValue } from '../sql.js';
import { openSqlite } from '../sqlite/open-sqlite.js';
import type { Sqlite, SqlRow } from '../sqlite/sqlite.js';
import { openDatabase, type Sql } from './database.js';
import { type FileTarget, writeFile } from './files.js';
import { checkVersion, readVersion } from './schema.js';

/** The tables in the order of their references, with the key that orders each. */
const tables: Readonly<Record<string, string>> = {
  keys: 'id',
  uploads: 'id',
  jobs: 'num',
  chunks: 'num',
  answers: 'key',
  admin: 'only_one',
  members: 'id',
  audit: 'num',
  webhooks: 'id',
  deliveries: 'id',
  settings: 'name',
  usage: `day || ' ' || owner || ' ' || kind || ' ' || name`,
};

const pageRows = 500;
const pieceBytes = 1024 * 1024;

/**
 * Copies the store of a data directory into an empty database, in one transaction, and counts the copied rows. No job may run
 * meanwhile. Sessions are not copied: browsers sign in again.
 */
export async function copyStore(home: string, address: string): Promise<CopyReport> {
  const { storePath } = openJobFiles(home);
  if (!existsSync(storePath)) {
    throw new Failure('not_found', `There is no job store in ${home}, so there is nothing to copy.`);
  }
  const sqlite = await openSqlite(storePath);
  const database = openDatabase(address);
  const { name } = database;
  try {
    await refuseWhileBusy(sqlite);
    return await database.writeRepeatable(async (sql) => {
      checkVersion(name, await readVersion(sql));
      await sql.run('LOCK TABLE mailvet.keys, mailvet.uploads, mailvet.jobs IN EXCLUSIVE MODE');
      await refuseUnlessEmpty(sql, name);
      await copySecret(sql, home);
      const rows: Record<string, number> = {};
      for (const [table, key] of Object.entries(tables)) rows[table] = await copyTable(sqlite, table, key, sql);
      const files = await copyFiles(sqlite, home, sql);
      await sql.run(
        `INSERT INTO mailvet.slices (job, place)
         SELECT num, generate_series(0, greatest(0, total - 1) / ${sliceRows}) FROM mailvet.jobs WHERE state = 'queued'`,
      );
      for (const table of ['jobs', 'chunks', 'audit']) await resetSequence(sql, table);
      return { name, rows, ...files };
    }, 0);
  } finally {
    await database.close();
    await sqlite.close();
  }
}

async function refuseWhileBusy(sqlite: Sqlite): Promise<void> {
  const { running, reserved } = await sqlite.read((sql) => ({
    running: sql.get(`SELECT count(*) AS n FROM jobs WHERE state = 'running'`)?.['n'],
    reserved: sql.get('SELECT count(*) AS n FROM reservations')?.['n'],
  }));
  if (running === 0 && reserved === 0) return;
  throw new Failure(
    'conflict',
    'A job is running, or a request holds credits, so the store would change while it is copied.',
    {
      hint: 'Stop mailvet serve and wait for jobs, or cancel them; continue a killed job with: mailvet jobs resume ID --wait',
    },
  );
}

async function refuseUnlessEmpty(sql: Sql, name: string): Promise<void> {
  for (const table of Object.keys(tables)) {
    if ((await sql.get(`SELECT FROM mailvet.${table} LIMIT 1`)) === null) continue;
    throw new Failure('conflict', `The store in the database ${name} is not empty.`, {
      hint: 'Copy into a new database: createdb NAME, then mailvet store migrate, then mailvet store copy.',
    });
  }
}

/** The secret that hides addresses. */
async function copySecret(sql: Sql, home: string): Promise<void> {
  const secret = await readFile(join(home, 'answers.key')).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (secret !== null) await sql.run(`UPDATE mailvet.secrets SET value = $1 WHERE name = 'answers'`, secret);
}

async function copyTable(sqlite: Sqlite, table: string, key: string, target: Sql): Promise<number> {
  const next = `SELECT *, ${key} AS copy_key FROM ${table} WHERE ? IS NULL OR ${key} > ? ORDER BY ${key} LIMIT ${pageRows}`;
  let copied = 0;
  for (let last: SqlValue = null; ; ) {
    const afterKey: SqlValue = last;
    const page: SqlRow[] = await sqlite.read((sql) => sql.all(next, afterKey, afterKey));
    const [first] = page;
    if (first === undefined) break;
    last = page.at(-1)?.['copy_key'] ?? null;
    const { copy_key: _, ...row } = first;
    const columns = Object.keys(row).join(', ');
    await target.run(
      `INSERT INTO mailvet.${table} (${columns}) OVERRIDING SYSTEM VALUE
       SELECT ${columns} FROM json_populate_recordset(NULL::mailvet.${table}, $1)`,
      JSON.stringify(page),
    );
    copied += page.length;
  }
  const stored = (await target.get<{ n: number }>(`SELECT count(*) AS n FROM mailvet.${table}`))?.n;
  if (stored === copied) return copied;
  throw new Failure(
    'storage',
    `Only ${stored} of ${copied} rows of ${table} were copied, so the copy was rolled back.`,
    { hint: 'Try again. If it happens again, check the database for triggers.' },
  );
}

async function copyFiles(sqlite: Sqlite, home: string, target: Sql): Promise<{ files: number; bytes: number }> {
  const ids = await sqlite.read((sql) => ({
    uploads: sql.all('SELECT id FROM uploads'),
    emails: sql.all('SELECT id FROM jobs'),
  }));
  const sum = { files: 0, bytes: 0 };
  const transaction: FileTarget = { write: (work) => work(target), writeRepeatable: (work) => work(target) };
  for (const [folder, names] of Object.entries(ids)) {
    for (const row of names) {
      const id = String(row['id']);
      const path = join(home, folder, id);
      // An unconfirmed upload may have no copy yet, and the addresses of an ended job may be lost.
      if (!existsSync(path)) continue;
      sum.files++;
      const bytes = createReadStream(path, { highWaterMark: pieceBytes });
      sum.bytes += await writeFile(transaction, folder === 'emails' ? slicesIn(bytes) : bytes, id);
    }
  }
  return sum;
}

/** The slices of a job are read one by one, so each is a piece. */
async function* slicesIn(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const line of linesIn(bytes)) yield Buffer.from(`${line}\n`);
}

/** New rows are numbered after the copied ones. */
async function resetSequence(sql: Sql, table: string): Promise<void> {
  await sql.run(
    `SELECT setval(pg_get_serial_sequence('mailvet.${table}', 'num'), (SELECT coalesce(max(num), 0) + 1 FROM mailvet.${table}), false)`,
  );
}
