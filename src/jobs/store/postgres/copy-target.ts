import { Failure } from '../../../model/failure.js';
import type { CopyReport } from '../../../model/store-report.js';
import { number, type StoredRow } from '../records.js';
import { type Database, openDatabase, type Sql } from './database.js';
import { checkVersion, readVersion } from './schema.js';
import { parseStoreAddress } from './store-address.js';

/** An empty store that is being filled. */
export interface CopyTarget {
  add(table: string, rows: readonly StoredRow[]): Promise<void>;
  count(table: string): Promise<number>;
  addFile(id: string, pieces: AsyncIterable<Buffer>): Promise<void>;
  /** The secret that cached addresses are hashed with. */
  setSecret(secret: Uint8Array): Promise<void>;
}

/** Fills an empty store in one transaction. */
export async function copyInto(
  address: string,
  fill: (target: CopyTarget) => Promise<Omit<CopyReport, 'name'>>,
): Promise<CopyReport> {
  const database = openDatabase(parseStoreAddress(address));
  try {
    return await database.writeRepeatable(async (sql) => {
      checkVersion(database.name, await readVersion(sql));
      await sql.run('LOCK TABLE mailvet.keys, mailvet.uploads, mailvet.jobs IN EXCLUSIVE MODE');
      await refuseUnlessEmpty(sql, database);
      const report = await fill(createTarget(sql));
      for (const table of ['jobs', 'chunks']) await resetSequence(sql, table);
      return { name: database.name, ...report };
    }, 0);
  } finally {
    await database.close();
  }
}

async function refuseUnlessEmpty(sql: Sql, { name }: Database): Promise<void> {
  for (const table of ['keys', 'uploads', 'jobs', 'cache', 'admin']) {
    if ((await sql.get(`SELECT FROM mailvet.${table} LIMIT 1`)) === null) continue;
    throw new Failure('conflict', `The store in the database ${name} is not empty.`, {
      hint: 'Copy into a new database: createdb NAME, then mailvet store migrate, then mailvet store copy.',
    });
  }
}

function createTarget(sql: Sql): CopyTarget {
  return {
    add: async (table, rows) => {
      const columns = Object.keys(rows[0] ?? {}).join(', ');
      await sql.run(
        `INSERT INTO mailvet.${table} (${columns}) OVERRIDING SYSTEM VALUE
         SELECT ${columns} FROM json_populate_recordset(NULL::mailvet.${table}, $1)`,
        JSON.stringify(rows),
      );
    },
    count: async (table) => {
      const row = await sql.get(`SELECT count(*) AS n FROM mailvet.${table}`);
      return row === null ? 0 : number(row, 'n');
    },
    addFile: async (id, pieces) => {
      const row = await sql.get('INSERT INTO mailvet.files (id) VALUES ($1) RETURNING num', id);
      const file = row === null ? 0 : number(row, 'num');
      let num = 0;
      for await (const piece of pieces) {
        await sql.run('INSERT INTO mailvet.pieces VALUES ($1, $2, $3)', file, num++, piece);
      }
      if (num === 0) await sql.run(`INSERT INTO mailvet.pieces VALUES ($1, 0, '')`, file);
      await sql.run('UPDATE mailvet.files SET whole = true, pieces = $1 WHERE num = $2', Math.max(1, num), file);
    },
    setSecret: async (secret) => {
      await sql.run(`UPDATE mailvet.secrets SET value = $1 WHERE name = 'cache'`, Buffer.from(secret));
    },
  };
}

/** New rows are numbered after the copied ones. */
async function resetSequence(sql: Sql, table: string): Promise<void> {
  await sql.run(
    `SELECT setval(pg_get_serial_sequence('mailvet.${table}', 'num'), (SELECT coalesce(max(num), 0) + 1 FROM mailvet.${table}), false)`,
  );
}
