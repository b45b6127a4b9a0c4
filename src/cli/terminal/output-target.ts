import { constants, fstatSync, writeSync } from 'node:fs';
import { access, lstat, readlink, stat } from 'node:fs/promises';
import { dirname, isAbsolute, resolve } from 'node:path';
import { Failure } from '../../model/failure.js';
import { ClosedPipe } from './terminal.js';

/** What a path of output leads to: an open descriptor, a device or pipe, or a file that is there or will be. */
type OutputTarget =
  | { kind: 'descriptor'; descriptor: number }
  | { kind: 'device' }
  /** `mode` is null where there is no such file yet. */
  | { kind: 'file'; path: string; mode: number | null };

/** Follows a path of output to its end. A folder, a missing folder and one that may not be written are Failures, before any work is done. */
export async function findTarget(path: string): Promise<OutputTarget> {
  try {
    const end = await followLinks(path);
    if (typeof end === 'number') return openDescriptor(end, path);
    const existing = await stat(end).catch(ifMissing(null));
    if (existing?.isDirectory()) {
      throw new Failure('usage', `${path} is a directory.`, { hint: 'Name a file in it.' });
    }
    // Devices and pipes have no place to be renamed into.
    if (existing !== null && !existing.isFile()) return { kind: 'device' };
    await access(dirname(end), constants.W_OK | constants.X_OK);
    return { kind: 'file', path: end, mode: existing === null ? null : existing.mode & 0o7777 };
  } catch (error) {
    throw asOutputFailure(error, path);
  }
}

/** A link keeps pointing where it points: its target is replaced, not the link. A number is an open descriptor. */
async function followLinks(path: string, depth = 0): Promise<string | number> {
  const descriptor = descriptorIn(resolve(path));
  if (descriptor !== null) return descriptor;
  const link = await lstat(path).catch(ifMissing(null));
  if (!link?.isSymbolicLink()) return path;
  if (depth > 40) throw Object.assign(new Error('too many links'), { code: 'ELOOP' });
  if (await isPlanted(path, link.uid)) {
    throw new Failure('usage', `${path} is a link that somebody else put into a shared folder.`, {
      hint: 'Give -o a file in a folder of your own.',
    });
  }
  const next = await readlink(path);
  return followLinks(isAbsolute(next) ? next : `${dirname(path)}/${next}`, depth + 1);
}

/** `/dev/stdout` and its like name what is open already; opening it anew would lose the place in it, and whether it appends. */
function descriptorIn(path: string): number | null {
  if (path === '/dev/stdout') return 1;
  if (path === '/dev/stderr') return 2;
  const number = /^(?:\/dev|\/proc\/self)\/fd\/(\d{1,9})$/.exec(path)?.[1];
  return number === undefined ? null : Number(number);
}

function openDescriptor(descriptor: number, path: string): OutputTarget {
  try {
    // Writes nothing, and fails where nothing may be written.
    if (writeSync(descriptor, '') === 0) return { kind: 'descriptor', descriptor };
  } catch (error) {
    if (!['EBADF', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  throw new Failure('usage', `${path} is not open for writing.`, {
    hint: `Open it in the shell, e.g. ${descriptor}>FILE, or give -o a file.`,
  });
}

/** What the kernel refuses to follow with fs.protected_symlinks; reading a link goes around the kernel. */
async function isPlanted(path: string, linkOwner: number): Promise<boolean> {
  const folder = await stat(dirname(path));
  const shared = (folder.mode & 0o1002) === 0o1002;
  return shared && linkOwner !== process.geteuid?.() && linkOwner !== folder.uid;
}

/** Refuses an output that is the list being read, whatever names the two go by: rows would be lost, or read again for ever. */
export async function protectInput(input: string | number, output: string | number): Promise<void> {
  if (!(await isSameFile(input, output))) return;
  const name = typeof output === 'string' ? output : 'standard output';
  throw new Failure('usage', `The output (${name}) is the list itself, which would be lost.`, {
    hint: 'Write to another file, or use --in-place, which keeps the list as NAME.bak.',
  });
}

/** Whether two paths or descriptors lead to one file, whatever names they go by. */
export async function isSameFile(one: string | number, other: string | number): Promise<boolean> {
  const [first, second] = await Promise.all([fileBehind(one), fileBehind(other)]);
  return first !== null && second !== null && first.dev === second.dev && first.ino === second.ino;
}

/** The regular file that a path or descriptor leads to; null where it is something else, or nothing. */
async function fileBehind(place: string | number): Promise<{ dev: bigint; ino: bigint } | null> {
  try {
    const found = typeof place === 'number' ? fstatSync(place, { bigint: true }) : await stat(place, { bigint: true });
    return found.isFile() ? found : null;
  } catch {
    // What cannot be looked at is told of when it is opened.
    return null;
  }
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

/** What an error of writing to a path means, as a Failure; a reader that went away is none. */
export function asOutputFailure(error: unknown, path: string): unknown {
  if (error instanceof Failure || !(error instanceof Error) || !('code' in error)) return error;
  const code = String(error.code);
  if (code === 'EPIPE') return new ClosedPipe(`The reader of ${path} went away.`);
  const kind = ['ENOSPC', 'EIO', 'EDQUOT', 'EFBIG'].includes(code) ? 'storage' : 'usage';
  return new Failure(kind, `${path} cannot be written: ${sentences[code] ?? code}.`, {
    hint: kind === 'storage' ? 'Free some space, or write elsewhere with -o.' : 'Name a file that you may write.',
    cause: error,
  });
}
