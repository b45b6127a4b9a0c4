import { randomUUID } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '../../../model/failure.js';
import { decodeEmails, EmailsLost, emailLines } from '../../uploads/email-record.js';
import type { DiskFiles } from '../../uploads/job-files.js';
import type { JobFiles } from '../files.js';
import type { Database } from './database.js';

/** The size of a piece, which is stored in one row, and of the pieces that are stored at a time. */
const pieceBytes = 1024 * 1024;
/** Read in one statement. */
const piecesPerRead = 4;
/** The age at which files without a reference count as left by a dead process. */
const leftoverMs = 24 * 60 * 60_000;
/** The limit of the copies on this machine; the least recently used are deleted first. */
const maxCopyBytes = 4 * 1024 ** 3;

/** The files of uploads and jobs in PostgreSQL, in pieces. Uploads are read from a local copy, made at first use. */
export function postgresFiles(database: Database, copies: DiskFiles): JobFiles {
  const writeUpload: JobFiles['writeUpload'] = async (bytes, id) => void (await writeFile(database, bytes, id));
  const copyUpload = (source: string, id: string): Promise<void> =>
    writeUpload(createReadStream(source, { highWaterMark: pieceBytes }), id);
  const remove = (id: string): Promise<number> =>
    database.write((sql) => sql.run('DELETE FROM mailvet.files WHERE id = $1 AND whole', id));
  return {
    uploadPath: async (id) => {
      const path = await copies.uploadPath(id);
      if (existsSync(path)) {
        const now = new Date();
        await utimes(path, now, now);
        return path;
      }
      await copies.writeUpload(readPieces(database, id, uploadLost), id);
      await removeOldCopies(dirname(path), path);
      return path;
    },
    writeUpload,
    copyUpload,
    moveUpload: async (source, id) => {
      await copyUpload(source, id);
      await copies.moveUpload(source, id);
    },
    writeEmails: async (id) => {
      const writer = await openFileWriter(database, id);
      // A slice is a piece, so that it is read alone.
      const { write, flush } = emailLines((line) => writer.write(Buffer.from(line)));
      return {
        write,
        close: async () => {
          await flush();
          await writer.close();
        },
        discard: writer.discard,
      };
    },
    readEmails: (id, slice) => decodeEmails(readPieces(database, id, () => new EmailsLost(null), slice)),
    removeUpload: async (id) => {
      await remove(id);
      await copies.removeUpload(id);
    },
    removeJob: async (id) => {
      await remove(id);
      await copies.removeJob(id);
    },
    removeLeftovers: async () => {
      await copies.removeLeftovers();
      await removeLeftovers(database);
      await removeStaleCopies(database, dirname(await copies.uploadPath(randomUUID())));
    },
  };
}

/** Where a file is written: a database, or a transaction in it. */
export type FileTarget = Pick<Database, 'write' | 'writeRepeatable'>;

/** Writes a file, and returns its size. */
export async function writeFile(target: FileTarget, bytes: AsyncIterable<Uint8Array>, id: string): Promise<number> {
  const writer = await openFileWriter(target, id);
  let size = 0;
  try {
    for await (const piece of bytes) {
      await writer.write(piece);
      size += piece.length;
    }
    await writer.close();
  } catch (error) {
    await writer.discard();
    throw error;
  }
  return size;
}

/** The file is visible once it is complete. The last writer wins. */
async function openFileWriter(database: FileTarget, id: string) {
  const add = 'INSERT INTO mailvet.files (id) VALUES ($1) RETURNING num';
  const file = (await database.write((sql) => sql.get<{ num: number }>(add, id)))?.num ?? 0;
  let pieces = 0;
  let waiting: Uint8Array[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    const [first, added] = [pieces, waiting];
    pieces += added.length;
    waiting = [];
    size = 0;
    await database.writeRepeatable((sql) =>
      sql.run(
        `INSERT INTO mailvet.pieces SELECT $1::bigint, $2::bigint + place - 1, data FROM unnest($3::bytea[]) WITH ORDINALITY AS added (data, place)
         ON CONFLICT DO NOTHING`,
        ...[file, first, added],
      ),
    );
  };
  return {
    /** Adds a piece. */
    write: async (bytes: Uint8Array) => {
      waiting.push(Buffer.from(bytes));
      size += bytes.length;
      if (size >= pieceBytes) await flush();
    },
    close: async () => {
      if (waiting.length > 0) await flush();
      await database.write(async (sql) => {
        await sql.run('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', id);
        await sql.run('DELETE FROM mailvet.files WHERE id = $1 AND whole', id);
        await sql.run('UPDATE mailvet.files SET whole = true, pieces = $1 WHERE num = $2', pieces, file);
      });
    },
    discard: async () => {
      // Otherwise it is removed as a leftover.
      await database.write((sql) => sql.run('DELETE FROM mailvet.files WHERE num = $1', file), 0).catch(() => {});
    },
  };
}

/** Throws `missingFile()` if there is no such file. One that is replaced meanwhile has the same bytes, so reading continues in it. */
async function* readPieces(
  database: Database,
  id: string,
  missingFile: () => Failure,
  only?: number,
): AsyncGenerator<Buffer> {
  const find = 'SELECT pieces FROM mailvet.files WHERE id = $1 AND whole';
  const file = await database.read((sql) => sql.get<{ pieces: number }>(find, id));
  if (file === null) throw missingFile();
  const findPieces = `SELECT data FROM mailvet.files JOIN mailvet.pieces ON pieces.file = files.num
    WHERE id = $1 AND whole AND pieces.num >= $2 AND pieces.num < $3 ORDER BY pieces.num`;
  const [first, end] = only === undefined ? [0, file.pieces] : [only, only + 1];
  for (let num = first; num < end; num += piecesPerRead) {
    const next = Math.min(end, num + piecesPerRead);
    const found = await database.read((sql) => sql.all<{ data: Buffer }>(findPieces, id, num, next));
    if (found.length < next - num) throw missingFile();
    for (const { data } of found) yield data;
  }
}

async function removeOldCopies(folder: string, current: string): Promise<void> {
  const copies = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const path = join(folder, name);
      const { size, mtimeMs } = await stat(path).catch(() => ({ size: 0, mtimeMs: 0 }));
      return { path, size, mtimeMs };
    }),
  );
  let bytes = 0;
  for (const { path, size } of copies.sort((a, b) => b.mtimeMs - a.mtimeMs)) {
    bytes += size;
    if (bytes > maxCopyBytes && path !== current) await rm(path, { force: true });
  }
}

/** Removes the copies of files that another machine deleted. */
async function removeStaleCopies(database: Database, folder: string): Promise<void> {
  const names = await readdir(folder);
  const rows = await database.read((sql) =>
    sql.all<{ id: string }>('SELECT id FROM mailvet.files WHERE whole AND id = ANY($1::text[])', names),
  );
  const stored = new Set(rows.map(({ id }) => id));
  for (const name of names) if (!name.includes('.') && !stored.has(name)) await rm(join(folder, name), { force: true });
}

async function removeLeftovers(database: Database): Promise<void> {
  await database.write((sql) =>
    sql.run(
      `DELETE FROM mailvet.files WHERE created_at < mailvet.now_ms() - $1 AND (NOT whole
         OR NOT EXISTS (SELECT FROM mailvet.uploads WHERE uploads.id = files.id)
           AND NOT EXISTS (SELECT FROM mailvet.jobs WHERE jobs.id = files.id))`,
      leftoverMs,
    ),
  );
}

function uploadLost(): Failure {
  return new Failure('storage', 'The file of this upload is no longer in the store.', { hint: 'Upload it again.' });
}
