import { randomBytes } from 'node:crypto';
import { type FileHandle, lstat, open, readlink, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute } from 'node:path';
import { Failure } from '../../model/failure.js';
import { ClosedPipe, type Sink } from './terminal.js';

/** A file being written: whole and in place after `finish`, or kept aside after `abandon`. */
export interface FileSink {
  sink: Sink;
  finish(): Promise<void>;
  /** Gives the path of what was written so far, or null where nothing was. */
  abandon(): Promise<string | null>;
}

/** Opens a file for output: written beside its place and renamed into it, so that nobody ever sees half of it. */
export async function openFileSink(path: string): Promise<FileSink> {
  try {
    const existing = await stat(path).catch(ifMissing(null));
    if (existing?.isDirectory()) {
      throw new Failure('usage', `${path} is a directory.`, { hint: 'Give -o the name of a file.' });
    }
    // Devices and pipes, among them those behind /dev/stdout and /dev/fd, have no place to be renamed into.
    if (existing !== null && !existing.isFile()) return await directSink(path);
    return await renamedSink(path, await realTarget(path), existing === null ? null : existing.mode & 0o7777);
  } catch (error) {
    throw translate(error, path);
  }
}

/** A link keeps pointing where it points: its target is replaced, not the link. */
async function realTarget(path: string, depth = 0): Promise<string> {
  const link = await lstat(path).catch(ifMissing(null));
  if (!link?.isSymbolicLink()) return path;
  if (depth > 40) throw Object.assign(new Error('too many links'), { code: 'ELOOP' });
  if (await isPlanted(path, link.uid)) {
    throw new Failure('usage', `${path} is a link that somebody else put into a shared folder.`, {
      hint: 'Give -o a file in a folder of your own.',
    });
  }
  const next = await readlink(path);
  return realTarget(isAbsolute(next) ? next : `${dirname(path)}/${next}`, depth + 1);
}

/** What the kernel refuses to follow with fs.protected_symlinks; reading a link goes around the kernel. */
async function isPlanted(path: string, linkOwner: number): Promise<boolean> {
  const folder = await stat(dirname(path));
  const shared = (folder.mode & 0o1002) === 0o1002;
  return shared && linkOwner !== process.geteuid?.() && linkOwner !== folder.uid;
}

async function directSink(path: string): Promise<FileSink> {
  const { write, close } = writer(await open(path, 'w'), path);
  const abandon = async (): Promise<null> => {
    await close().catch(() => {});
    return null;
  };
  return { sink: fileSink(write), finish: close, abandon };
}

async function renamedSink(path: string, target: string, mode: number | null): Promise<FileSink> {
  const temporary = `${dirname(target)}/.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`;
  // Exclusive, so that a link planted under this name is not followed.
  const handle = await open(temporary, 'wx', mode ?? 0o666);
  if (mode !== null) await handle.chmod(mode);
  let bytes = 0;
  const { write, close, sync } = writer(handle, path);
  return {
    sink: fileSink(async (text) => {
      bytes += text.length;
      await write(text);
    }),
    finish: async () => {
      try {
        await sync();
        await close();
        await rename(temporary, target);
      } catch (error) {
        await rm(temporary, { force: true });
        throw translate(error, path);
      }
    },
    abandon: async () => {
      await close().catch(() => {});
      if (bytes === 0) {
        await rm(temporary, { force: true });
        return null;
      }
      const kept = `${target}.partial`;
      await rename(temporary, kept);
      return kept;
    },
  };
}

/** Writes in turn, one write under way while the next text is made. */
function writer(handle: FileHandle, path: string) {
  let last: Promise<void> = Promise.resolve();
  return {
    write: async (text: string): Promise<void> => {
      try {
        await last;
      } catch (error) {
        throw translate(error, path);
      }
      last = handle.writeFile(text);
      // Told at the next write, or at the end.
      last.catch(() => {});
    },
    sync: async (): Promise<void> => {
      await last;
      await handle.sync();
    },
    close: async (): Promise<void> => {
      try {
        await last;
      } finally {
        await handle.close();
      }
    },
  };
}

function fileSink(write: (text: string) => Promise<void>): Sink {
  return { isTty: false, columns: 80, colour: false, unicode: true, write };
}

function ifMissing<Fallback>(fallback: Fallback): (error: NodeJS.ErrnoException) => Fallback {
  return (error) => {
    if (error.code === 'ENOENT') return fallback;
    throw error;
  };
}

const sentences: Record<string, string> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder is not a folder',
  EACCES: 'permission was denied',
  EPERM: 'permission was denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file may not grow any larger',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
};

function translate(error: unknown, path: string): unknown {
  if (error instanceof Failure || !(error instanceof Error) || !('code' in error)) return error;
  const code = String(error.code);
  if (code === 'EPIPE') return new ClosedPipe(`The reader of ${path} went away.`);
  const kind = ['ENOSPC', 'EIO', 'EDQUOT', 'EFBIG'].includes(code) ? 'storage' : 'usage';
  return new Failure(kind, `${path} cannot be written: ${sentences[code] ?? code}.`, {
    hint: kind === 'storage' ? 'Free some space, or write elsewhere with -o.' : 'Give -o a file that you may write.',
    cause: error,
  });
}
