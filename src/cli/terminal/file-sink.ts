import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { isOwnFile } from '../../disk/own-file.js';
import { isGone, livenessOf, newIdentity, pidOf } from '../../disk/process-identity.js';
import { Failure } from '../../model/failure.js';
import { quotedName } from '../../model/text/shell-word.js';
import { asOutputFailure, findTarget } from './output-target.js';
import { descriptorSink, type Sink, screenSink } from './terminal.js';

/** The suffix of an output that does not replace its target. */
export type KeptSuffix = 'rejected';

interface FileSink {
  sink: Sink;
  /** True for a temporary file that `finish` renames; devices and descriptors are written directly. */
  isAtomic: boolean;
  /** Renames the temporary file. If that fails, it stays for `abandon`. */
  finish(): Promise<void>;
  /** Keeps the written data as `TARGET.SUFFIX` and returns that path; null if there is none. Without a suffix, nothing is kept. */
  abandon(suffix: KeptSuffix | null): Promise<string | null>;
  /** A write failed, so not all rows are in the file. */
  isTruncated(): boolean;
}

/** Opens a path for output. */
export async function openFileSink(path: string): Promise<FileSink> {
  const target = await findTarget(path);
  try {
    if (target.kind === 'descriptor') {
      const sink = safeSink(target.descriptor, descriptorSink(target.descriptor, false, true));
      return { sink, isAtomic: false, finish: async () => {}, abandon: async () => null, isTruncated: () => false };
    }
    if (target.kind === 'device') return await directSink(path);
    return await renamedSink(path, target);
  } catch (error) {
    throw asOutputFailure(error, path);
  }
}

function safeSink(descriptor: number, sink: Sink): Sink {
  return isatty(descriptor) ? screenSink(sink) : sink;
}

async function directSink(path: string): Promise<FileSink> {
  const handle = await open(path, 'w');
  const { write, close, isTruncated } = writer(handle, path);
  const abandon = async (): Promise<null> => {
    await close().catch(() => {});
    return null;
  };
  return { sink: safeSink(handle.fd, fileSink(write)), isAtomic: false, finish: close, abandon, isTruncated };
}

async function renamedSink(
  path: string,
  { path: target, mode }: { path: string; mode: number | null },
): Promise<FileSink> {
  const temporary = temporaryName(target);
  // Exclusive: a link under this name is not followed.
  const handle = await open(temporary, 'wx', mode ?? 0o666);
  try {
    await refuseOtherWriter(path, target, basename(temporary));
    if (mode !== null) await handle.chmod(mode);
  } catch (error) {
    await handle.close();
    await rm(temporary, { force: true });
    throw error;
  }
  const { write, close, isTruncated } = writer(handle, path);
  // Each piece is a separate gzip member (RFC 1952, section 2.2), so that each piece is compressed at once.
  const compress = /\.gz$/i.test(path) ? (await import('node:zlib')).gzipSync : null;
  return {
    isAtomic: true,
    isTruncated,
    sink: fileSink(compress === null ? write : async (data) => void (data.length > 0 && (await write(compress(data))))),
    finish: async () => {
      try {
        await close({ sync: true });
        await rename(temporary, target);
      } catch (error) {
        throw asOutputFailure(error, path);
      }
      await removeLeftovers(target).catch(() => {});
    },
    abandon: async (suffix) => {
      await close().catch(() => {});
      // Empty also if the disk was full from the start; absent if it was renamed before another output failed.
      const written = await stat(temporary).catch(() => null);
      if (suffix === null || written === null || written.size === 0) {
        await rm(temporary, { force: true });
        return null;
      }
      const kept = `${target}.${suffix}`;
      await rename(temporary, kept);
      return kept;
    },
  };
}

/** A process that opens the same output lists the other ones within this time. */
const otherWriterMs = 300;

/** Throws if another process writes to the target: the last one would win. Of two that start together, one goes on. */
async function refuseOtherWriter(path: string, target: string, ownName: string): Promise<void> {
  let [other] = await otherWriters(target, ownName);
  if (other !== undefined && ownName < other) {
    await setTimeout(otherWriterMs);
    [other] = await otherWriters(target, ownName);
  }
  if (other === undefined) return;
  const process = pidOf(other.slice(basename(target).length + 2));
  throw new Failure('locked', `Another mailvet (process ${process}) is writing ${quotedName(path)}.`, {
    hint: 'Wait until it has finished, or write elsewhere with -o.',
  });
}

/** The names of the temporary outputs of other live processes, sorted. */
async function otherWriters(target: string, ownName: string): Promise<string[]> {
  const paths = await temporaryFiles(target, (identity) => livenessOf(identity) === 'alive');
  return paths
    .map((path) => basename(path))
    .filter((name) => name !== ownName)
    .sort();
}

/** Writes sequentially. A write runs while the caller prepares the next one, which reports its error. */
function writer(handle: FileHandle, path: string) {
  let lastWrite: Promise<void> = Promise.resolve();
  let isTruncated = false;
  const awaitLastWrite = (): Promise<void> =>
    lastWrite.catch((error: unknown) => {
      throw asOutputFailure(error, path);
    });
  return {
    write: async (data: string | Uint8Array): Promise<void> => {
      await awaitLastWrite();
      lastWrite = handle.writeFile(data);
      lastWrite.catch(() => {
        isTruncated = true;
      });
    },
    isTruncated: () => isTruncated,
    close: async ({ sync = false } = {}): Promise<void> => {
      try {
        await awaitLastWrite();
        if (sync) await handle.sync();
      } finally {
        await handle.close();
      }
    },
  };
}

function fileSink(write: Sink['write']): Sink {
  return { isTty: false, columns: 80, color: false, unicode: true, write };
}

const temporaryEnding = '.tmp';
const maxNameBytes = 255;

/** A path next to `target` with the identity of this process, or with random characters if that would be too long. */
function temporaryName(target: string): string {
  const name = `.${basename(target)}.${newIdentity()}${temporaryEnding}`;
  const shortName = `.${basename(target)}.${randomBytes(6).toString('hex')}${temporaryEnding}`;
  return join(dirname(target), Buffer.byteLength(name) <= maxNameBytes ? name : shortName);
}

/** The temporary files of this user's processes that meet the condition. */
async function temporaryFiles(target: string, matches: (identity: string) => boolean): Promise<string[]> {
  const start = `.${basename(target)}.`;
  const names = await readdir(dirname(target)).catch(() => []);
  return names
    .filter((name) => name.startsWith(start) && name.endsWith(temporaryEnding))
    .filter((name) => matches(name.slice(start.length, -temporaryEnding.length)))
    .map((name) => join(dirname(target), name))
    .filter(isOwnFile);
}

/** Removes the files of killed and rejected runs, which the complete output replaces. */
async function removeLeftovers(target: string): Promise<void> {
  for (const path of await temporaryFiles(target, isGone)) await rm(path, { force: true });
  if (isOwnFile(`${target}.rejected`)) await rm(`${target}.rejected`);
}
