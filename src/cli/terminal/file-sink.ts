import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isatty } from 'node:tty';
import { isOwnFile } from '../../disk/own-file.js';
import { isGone, livenessOf, newIdentity, pidOf } from '../../disk/process-identity.js';
import { Failure } from '../../model/failure.js';
import { quotedName } from '../../model/text/shell-word.js';
import { asOutputFailure, findTarget } from './output-target.js';
import { descriptorSink, type Sink, screenSink } from './terminal.js';

interface FileSink {
  sink: Sink;
  /** True for a temporary file that `finish` renames; devices and descriptors are written directly. */
  isAtomic: boolean;
  /** Renames the temporary file. If that fails, it stays for `abandon`. */
  finish(): Promise<void>;
  /** Leaves the target. Keeps what a guard rejected as `TARGET.rejected` and returns that path; null if nothing is kept. */
  abandon(isRejected: boolean): Promise<string | null>;
}

/** Opens a path for output. */
export async function openFileSink(path: string): Promise<FileSink> {
  const target = await findTarget(path);
  try {
    if (target.kind === 'descriptor') {
      const sink = safeSink(target.descriptor, descriptorSink(target.descriptor, false, true));
      return { sink, isAtomic: false, finish: async () => {}, abandon: async () => null };
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
  const { write, close } = writer(handle, path);
  const abandon = async () => (await close().catch(() => {})) ?? null;
  return { sink: safeSink(handle.fd, fileSink(write)), isAtomic: false, finish: close, abandon };
}

async function renamedSink(
  path: string,
  { path: target, mode }: { path: string; mode: number | null },
): Promise<FileSink> {
  await refuseOtherWriter(target, path);
  const temporary = temporaryName(target);
  // Exclusive: a link under this name is not followed.
  const handle = await open(temporary, 'wx', mode ?? 0o666);
  try {
    if (mode !== null) await handle.chmod(mode);
  } catch (error) {
    await handle.close();
    await rm(temporary, { force: true });
    throw error;
  }
  const { write, close } = writer(handle, path);
  // Each piece is a separate gzip member (RFC 1952, section 2.2), so that each piece is compressed at once.
  const compress = /\.gz$/i.test(path) ? (await import('node:zlib')).gzipSync : null;
  return {
    isAtomic: true,
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
    abandon: async (isRejected) => {
      await close().catch(() => {});
      // Empty also if the disk was full from the start; absent if it was renamed before another output failed.
      const written = await stat(temporary).catch(() => null);
      if (!isRejected || written === null || written.size === 0) {
        await rm(temporary, { force: true });
        return null;
      }
      const kept = `${target}.rejected`;
      await rename(temporary, kept);
      return kept;
    },
  };
}

/** Writes sequentially. A write runs while the caller prepares the next one, which reports its error. */
function writer(handle: FileHandle, path: string) {
  let lastWrite: Promise<void> = Promise.resolve();
  const awaitLastWrite = (): Promise<void> =>
    lastWrite.catch((error: unknown) => {
      throw asOutputFailure(error, path);
    });
  return {
    write: async (data: string | Uint8Array): Promise<void> => {
      await awaitLastWrite();
      lastWrite = handle.writeFile(data);
      lastWrite.catch(() => {});
    },
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

/** The processes that write the target, or did: their identities. */
async function writersOf(target: string): Promise<string[]> {
  const start = `.${basename(target)}.`;
  const names = await readdir(dirname(target)).catch(() => []);
  return names.flatMap((name) =>
    name.startsWith(start) && name.endsWith(temporaryEnding) ? name.slice(start.length, -temporaryEnding.length) : [],
  );
}

/** Throws if another live process writes the target: the output of one of the two would be lost. */
async function refuseOtherWriter(target: string, path: string): Promise<void> {
  const writer = (await writersOf(target)).find((identity) => livenessOf(identity) === 'alive');
  if (writer === undefined) return;
  throw new Failure('locked', `Another mailvet (process ${pidOf(writer)}) is writing ${quotedName(path)}.`, {
    hint: 'Wait until it has finished, or give -o another file.',
  });
}

/** Removes the files of this user's killed and rejected runs, which the complete output replaces. */
async function removeLeftovers(target: string): Promise<void> {
  const left = (await writersOf(target))
    .filter(isGone)
    .map((identity) => join(dirname(target), `.${basename(target)}.${identity}${temporaryEnding}`));
  for (const path of [...left, `${target}.rejected`]) if (isOwnFile(path)) await rm(path, { force: true });
}
