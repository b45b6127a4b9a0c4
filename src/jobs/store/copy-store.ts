import { existsSync } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../model/failure.js';
import type { CopyReport } from '../../model/store-report.js';
import { openJobFiles } from '../uploads/job-files.js';
import type { CopyTarget } from './postgres/copy-target.js';
import { number, type StoredRow, text } from './records.js';
import type { SqlValue } from './sql/steps.js';
import { openSqlite } from './sqlite/open-sqlite.js';
import type { Sqlite, SqlRow } from './sqlite/sqlite.js';

/** The tables in the order of their references, with the key that orders each. */
const tables: Readonly<Record<string, string>> = {
  keys: 'id',
  uploads: 'id',
  jobs: 'num',
  chunks: 'num',
  cache: 'key',
  admin: 'only_one',
  usage: `day || ' ' || owner || ' ' || kind || ' ' || name`,
};

const pageRows = 500;
const pieceBytes = 1024 * 1024;

/**
 * Copies the store of a data directory into an empty database, in one transaction, and counts the copied rows. No job may run
 * meanwhile. Sessions are not copied: browsers sign in again.
 */
export async function copyStore(home: string, address: string): Promise<CopyReport> {
  const disk = openJobFiles(home);
  if (!existsSync(disk.storePath)) {
    throw new Failure('not_found', `There is no job store in ${home}, so there is nothing to copy.`);
  }
  const { copyInto } = await import('./postgres/copy-target.js');
  const sqlite = await openSqlite(disk.storePath);
  try {
    await refuseWhileBusy(sqlite);
    return await copyInto(address, async (target) => {
      const secret = await readFile(join(home, 'verdict-cache.key')).catch(() => null);
      if (secret !== null) await target.setSecret(secret);
      const rows: Record<string, number> = {};
      for (const [table, key] of Object.entries(tables)) rows[table] = await copyTable(sqlite, table, key, target);
      const files = await copyFiles(sqlite, home, target);
      return { rows, ...files };
    });
  } finally {
    await sqlite.close();
  }
}

async function refuseWhileBusy(sqlite: Sqlite): Promise<void> {
  const { running, reserved } = await sqlite.read((sql) => ({
    running: number(sql.get(`SELECT count(*) AS n FROM jobs WHERE state = 'running'`) ?? {}, 'n'),
    reserved: number(sql.get('SELECT count(*) AS n FROM reservations') ?? {}, 'n'),
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

async function copyTable(sqlite: Sqlite, table: string, key: string, target: CopyTarget): Promise<number> {
  let copied = 0;
  let last: SqlValue = null;
  for (;;) {
    const after: SqlValue = last;
    const page: SqlRow[] = await sqlite.read((sql) =>
      sql.all(
        `SELECT *, ${key} AS copy_key FROM ${table} WHERE ? IS NULL OR ${key} > ? ORDER BY ${key} LIMIT ${pageRows}`,
        after,
        after,
      ),
    );
    if (page.length === 0) break;
    last = page.at(-1)?.['copy_key'] ?? null;
    await target.add(table, page.map(withoutKey));
    copied += page.length;
  }
  const arrived = await target.count(table);
  if (arrived !== copied) throw incomplete(table, copied, arrived);
  return copied;
}

function withoutKey({ copy_key: _, ...row }: StoredRow): StoredRow {
  return row;
}

async function copyFiles(sqlite: Sqlite, home: string, target: CopyTarget): Promise<{ files: number; bytes: number }> {
  const ids = await sqlite.read((sql) => ({
    uploads: sql.all('SELECT id FROM uploads').map((row) => text(row, 'id')),
    emails: sql.all('SELECT id FROM jobs').map((row) => text(row, 'id')),
  }));
  const sum = { files: 0, bytes: 0 };
  for (const [folder, names] of Object.entries(ids)) {
    for (const id of names) {
      const path = join(home, folder, id);
      // An unconfirmed upload may have no copy yet, and the addresses of an ended job may be lost.
      if (!existsSync(path)) continue;
      await target.addFile(id, bytesOf(path));
      sum.files++;
      sum.bytes += (await stat(path)).size;
    }
  }
  return sum;
}

async function* bytesOf(path: string): AsyncGenerator<Buffer> {
  const file = await open(path);
  try {
    for (;;) {
      const piece = Buffer.alloc(pieceBytes);
      const { bytesRead } = await file.read(piece, 0, pieceBytes);
      if (bytesRead === 0) return;
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

function incomplete(table: string, copied: number, arrived: number): Failure {
  return new Failure(
    'storage',
    `Only ${arrived} of ${copied} rows of ${table} were copied, so the copy was rolled back.`,
    {
      hint: 'Try again. If it happens again, check the database for triggers.',
    },
  );
}
