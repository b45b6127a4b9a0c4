import { createReadStream } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type AtomicFile, openAtomicFile } from '../../disk/atomic-file.js';
import { makeOwnFolder, makePrivateFolder } from '../../disk/private-folder.js';
import { isGone, newIdentity } from '../../disk/process-identity.js';
import { storageFailure } from '../../disk/storage-failure.js';
import { Failure } from '../../model/failure.js';
import type { EmailWriter, JobFiles } from '../store/files.js';
import { decodeEmails, EmailsLost, emailLines } from './email-record.js';

/** The files of a data directory: those of uploads and jobs, and what only this machine needs. */
export interface DiskFiles extends JobFiles {
  storePath: string;
  logPath(jobId: string): string;
  lockPath(name: string): string;
}

const folders = ['uploads', 'emails', 'logs', 'locks'] as const;
const idLength = 36;
const orphanMs = 60 * 60_000;
const partialSuffix = '.part';
const copyChunkBytes = 1024 * 1024;
const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Creates the directories under `home`, private to their owner. */
export function openJobFiles(home: string): DiskFiles {
  try {
    makePrivateFolder(home);
    for (const folder of folders) makeOwnFolder(join(home, folder));
  } catch (error) {
    throw storageFailure(error, home);
  }
  const pathOf = (folder: (typeof folders)[number], id: string): string => join(home, folder, safeId(id));
  return {
    storePath: join(home, 'store.db'),
    uploadPath: async (id) => pathOf('uploads', id),
    logPath: (id) => `${pathOf('logs', id)}.log`,
    lockPath: (name) => join(home, 'locks', name),
    copyUpload: (source, id) => guarded(home, writeBytes(bytesOf(source), pathOf('uploads', id))),
    writeUpload: (bytes, id) => guarded(home, writeBytes(bytes, pathOf('uploads', id))),
    moveUpload: (source, id) => guarded(home, rename(source, pathOf('uploads', id))),
    writeEmails: (id) => guarded(home, openWriter(pathOf('emails', id))),
    readEmails: (id, slice) => decodeEmails(recordBytes(pathOf('emails', id)), slice),
    removeUpload: (id) => guarded(home, rm(pathOf('uploads', id), { force: true })),
    removeJob: async (id) => {
      await guarded(home, rm(pathOf('emails', id), { force: true }));
      await guarded(home, rm(`${pathOf('logs', id)}.log`, { force: true }));
    },
    removeLeftovers: (storedIds) => guarded(home, removeLeftovers(home, storedIds)),
  };
}

function safeId(id: string): string {
  if (!idPattern.test(id)) throw new Failure('not_found', 'There is no such upload or job: an id is a UUID.');
  return id;
}

/** Opens at the first read, so that a target that cannot be written leaves no file open. */
async function* bytesOf(source: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(source, { highWaterMark: copyChunkBytes });
}

async function writeBytes(bytes: AsyncIterable<Uint8Array>, target: string): Promise<void> {
  const file = await openPartial(target);
  try {
    for await (const piece of bytes) await file.handle.writeFile(piece);
  } catch (error) {
    await file.discard();
    throw error;
  }
  await file.commit();
}

/** Written under the name of its writer, and renamed when complete. */
function openPartial(target: string): Promise<AtomicFile> {
  return openAtomicFile(target, `${target}.${newIdentity()}${partialSuffix}`);
}

/** Its error as a Failure that names the path. */
function guarded<T>(path: string, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw storageFailure(error, path);
  });
}

async function openWriter(path: string): Promise<EmailWriter> {
  const file = await openPartial(path);
  const { write, flush } = emailLines((line) => guarded(path, file.handle.appendFile(line)));
  return {
    write,
    close: async () => {
      await flush();
      await guarded(path, file.commit());
    },
    discard: () => guarded(path, file.discard()),
  };
}

async function* recordBytes(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? new EmailsLost(error) : storageFailure(error, path);
  }
}

async function removeLeftovers(home: string, storedIds?: ReadonlySet<string>): Promise<void> {
  for (const folder of folders) {
    for (const name of await readdir(join(home, folder))) {
      const path = join(home, folder, name);
      const writer = name.slice(idLength + 1, -partialSuffix.length);
      const isPartial = name.endsWith(partialSuffix) && isGone(writer);
      const isUnknown = storedIds !== undefined && idPattern.test(name) && !storedIds.has(name);
      if (isPartial || (isUnknown && (await isOld(path)))) await rm(path, { force: true });
    }
  }
}

/** A file is written before its upload or job is stored. */
async function isOld(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => null);
  return stats !== null && Date.now() - stats.mtimeMs > orphanMs;
}
