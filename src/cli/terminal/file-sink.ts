import { constants } from 'node:fs';
import { copyFile, type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises';
import { isatty } from 'node:tty';
import { descriptorSink } from './descriptor-sink.js';
import { keepPartial, removeLeftovers, temporaryName } from './leftovers.js';
import { asOutputFailure, findTarget } from './output-target.js';
import { sanitizeScreen } from './sanitize.js';
import { type Sink, textOf } from './terminal.js';

/** A file being written: whole and in place after `finish`, or kept aside after `abandon`. */
interface FileSink {
  sink: Sink;
  /** Whether it is put in place as a file, rather than written through to what is open there. */
  isAtomic: boolean;
  finish(): Promise<void>;
  /** Keeps what was written under the name with an ending of its own, and gives that; null where nothing was. */
  abandon(ending: KeptSuffix): Promise<string | null>;
}

/** What an output that is not put in its place is kept as. */
export type KeptSuffix = 'partial' | 'rejected';

interface FileSinkOptions {
  /** What is replaced is kept as `NAME.bak`. */
  backup?: boolean;
}

/** Opens a file for output: written beside its place and renamed into it, so that nobody ever sees half of it. */
export async function openFileSink(path: string, { backup = false }: FileSinkOptions = {}): Promise<FileSink> {
  const target = await findTarget(path);
  try {
    if (target.kind === 'descriptor')
      return directOutput(safeSink(target.descriptor, descriptorSink(target.descriptor, false, true)));
    if (target.kind === 'device') return await directSink(path);
    return await renamedSink(path, target, backup);
  } catch (error) {
    throw asOutputFailure(error, path);
  }
}

/** A terminal by whatever name gets text, and no control characters of the input. */
function safeSink(descriptor: number, sink: Sink): Sink {
  return isatty(descriptor) ? { ...sink, write: (data) => sink.write(sanitizeScreen(textOf(data))) } : sink;
}

/** What is written to an open descriptor is there at once, and stays. */
function directOutput(sink: Sink): FileSink {
  return { sink, isAtomic: false, finish: async () => {}, abandon: async () => null };
}

async function directSink(path: string): Promise<FileSink> {
  const handle = await open(path, 'w');
  const { write, close } = writer(handle, path);
  const abandon = async (): Promise<null> => {
    await close().catch(() => {});
    return null;
  };
  return { sink: safeSink(handle.fd, fileSink(write)), isAtomic: false, finish: close, abandon };
}

async function renamedSink(
  path: string,
  { path: target, mode }: { path: string; mode: number | null },
  backup: boolean,
): Promise<FileSink> {
  const temporary = temporaryName(target, 'tmp');
  // Exclusive, so that a link planted under this name is not followed.
  const handle = await open(temporary, 'wx', mode ?? 0o666);
  if (mode !== null) await handle.chmod(mode);
  const { write, close, sync } = writer(handle, path);
  return {
    isAtomic: true,
    sink: fileSink(write),
    finish: async () => {
      try {
        await sync();
        await close();
        if (backup) await keepBackup(target);
        await rename(temporary, target);
        await removeLeftovers(target).catch(() => {});
      } catch (error) {
        await rm(temporary, { force: true });
        throw asOutputFailure(error, path);
      }
    },
    abandon: async (ending) => {
      await close().catch(() => {});
      // Also where something was to be written, and the disk had no room for any of it.
      if ((await stat(temporary)).size === 0) {
        await rm(temporary, { force: true });
        return null;
      }
      if (ending === 'partial') return keepPartial(temporary, target);
      const kept = `${target}.${ending}`;
      await rename(temporary, kept);
      return kept;
    },
  };
}

/** A second name for what is about to be replaced; where the file system knows no second names, a copy. An older backup goes. */
async function keepBackup(target: string): Promise<void> {
  const temporary = temporaryName(`${target}.bak`, 'tmp');
  try {
    await link(target, temporary).catch(() => copyFile(target, temporary, constants.COPYFILE_EXCL));
    await rename(temporary, `${target}.bak`);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Writes in turn, one write under way while the next text is made. */
function writer(handle: FileHandle, path: string) {
  let last: Promise<void> = Promise.resolve();
  const written = (): Promise<void> =>
    last.catch((error: unknown) => {
      throw asOutputFailure(error, path);
    });
  return {
    write: async (data: string | Uint8Array): Promise<void> => {
      await written();
      last = handle.writeFile(data);
      // Told at the next write, or at the end.
      last.catch(() => {});
    },
    sync: async (): Promise<void> => {
      await written();
      await handle.sync();
    },
    close: async (): Promise<void> => {
      try {
        await written();
      } finally {
        await handle.close();
      }
    },
  };
}

function fileSink(write: Sink['write']): Sink {
  return { isTty: false, columns: 80, color: false, unicode: true, write };
}
