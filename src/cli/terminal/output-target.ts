import { constants, existsSync, fstatSync, writeSync } from 'node:fs';
import { access, lstat, readlink, stat } from 'node:fs/promises';
import { dirname, isAbsolute, resolve } from 'node:path';
import { Failure } from '../../model/failure.js';
import { quotedName, shellWord } from '../../model/text/shell-word.js';
import { ClosedPipe, writeErrors } from './terminal.js';

/** The target of an output path: an open descriptor, a device or pipe, or a file that may not exist yet. */
type OutputTarget =
  | { kind: 'descriptor'; descriptor: number }
  | { kind: 'device' }
  /** `mode` is null if the file does not exist yet. */
  | { kind: 'file'; path: string; mode: number | null };

/** Resolves an output path. Throws if it cannot be written, before any work is done. */
export async function findTarget(path: string): Promise<OutputTarget> {
  try {
    const target = await followLinks(path);
    if (typeof target === 'number') return openDescriptor(target, path);
    const existing = await stat(target).catch(ifMissing(null));
    if (existing?.isDirectory()) {
      throw new Failure('usage', `${quotedName(path)} is a directory.`, { hint: 'Name a file in it.' });
    }
    // Devices and pipes cannot be replaced by renaming.
    if (existing !== null && !existing.isFile()) return { kind: 'device' };
    // Renaming would replace it anyway, and root may write anything.
    if (existing !== null && (existing.mode & 0o222) === 0) {
      throw new Failure('usage', `${quotedName(path)} is read-only, so it is not replaced.`, {
        hint: `Allow it with ${process.platform === 'win32' ? 'attrib -r' : 'chmod u+w'} ${shellWord(path, process.platform)}, or write elsewhere.`,
      });
    }
    await access(dirname(target), constants.W_OK | constants.X_OK);
    return { kind: 'file', path: target, mode: existing === null ? null : existing.mode & 0o7777 };
  } catch (error) {
    throw asOutputFailure(error, path);
  }
}

/** The target of a link, which is replaced instead of the link. A number is an open descriptor. */
async function followLinks(path: string, depth = 0): Promise<string | number> {
  const descriptor = descriptorIn(resolve(path));
  if (descriptor !== null) return descriptor;
  const link = await lstat(path).catch(ifMissing(null));
  if (!link?.isSymbolicLink()) return path;
  if (depth > 40) throw Object.assign(new Error('too many links'), { code: 'ELOOP' });
  if (await isPlanted(path, link.uid)) {
    throw new Failure('usage', `${quotedName(path)} is a link that another user put into a shared folder.`, {
      hint: 'Give -o a file in a folder of your own.',
    });
  }
  const next = await readlink(path);
  return followLinks(isAbsolute(next) ? next : `${dirname(path)}/${next}`, depth + 1);
}

/** The descriptor of `/dev/stdout` and the like. Opening such a path again would lose its position and append mode. */
function descriptorIn(path: string): number | null {
  if (path === '/dev/stdout') return 1;
  if (path === '/dev/stderr') return 2;
  const number = /^(?:\/dev|\/proc\/self)\/fd\/(\d{1,9})$/.exec(path)?.[1];
  return number === undefined ? null : Number(number);
}

function openDescriptor(descriptor: number, path: string): OutputTarget {
  try {
    // An empty write fails if the descriptor is not writable.
    if (writeSync(descriptor, '') === 0) return { kind: 'descriptor', descriptor };
  } catch (error) {
    if (!['EBADF', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  throw new Failure('usage', `${quotedName(path)} is not open for writing.`, {
    hint: `Open it in the shell, e.g. ${descriptor}>FILE, or give -o a file.`,
  });
}

/** The rule of fs.protected_symlinks, which the kernel does not apply to readlink. */
async function isPlanted(path: string, linkOwner: number): Promise<boolean> {
  const folder = await stat(dirname(path));
  const isShared = (folder.mode & 0o1002) === 0o1002;
  return isShared && linkOwner !== process.geteuid?.() && linkOwner !== folder.uid;
}

/** Throws if the output is the list that is read: rows would be lost, or read again forever. */
export async function protectInput(input: string | number, output: string | number): Promise<void> {
  const [read, written] = await Promise.all([fileAt(input), fileAt(output)]);
  if (read === null || written === null || read.dev !== written.dev || read.ino !== written.ino) return;
  const name = typeof output === 'string' ? output : 'standard output';
  throw new Failure('usage', `The output (${quotedName(name)}) is the list itself, which would be lost.`, {
    hint: otherTarget(input, output),
  });
}

/** Where to write instead. Only a table or objects have a place for verdicts. */
function otherTarget(input: string | number, output: string | number): string {
  const names = [input, output].filter((name) => typeof name === 'string');
  if (names.some((name) => /\.(?:csv|tsv|tab|json|ndjson|jsonl)$/i.test(name)))
    return 'Write to another file, and rename it when the run is done.';
  const extension = /\.[^./\\]+?(?:\.gz)?$/i;
  const name = names.find((each) => extension.test(each));
  if (name === undefined) return 'Write to another file.';
  return `Write to another file, such as ${quotedName(name.replace(extension, '.csv'))}.`;
}

/** The regular file at a path or descriptor; null if there is none. */
async function fileAt(location: string | number): Promise<{ dev: bigint; ino: bigint } | null> {
  try {
    const options = { bigint: true } as const;
    const stats = typeof location === 'number' ? fstatSync(location, options) : await stat(location, options);
    return stats.isFile() ? stats : null;
  } catch {
    // Opening it reports the error.
    return null;
  }
}

function ifMissing<Fallback>(fallback: Fallback): (error: NodeJS.ErrnoException) => Fallback {
  return (error) => {
    if (error.code === 'ENOENT') return fallback;
    throw error;
  };
}

const openErrors: Record<string, string> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder is not a folder',
  EACCES: 'permission was denied',
  EPERM: 'permission was denied',
  EROFS: 'the file system is read-only',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
};

/** Converts an error of opening or writing a path to a Failure, or to `ClosedPipe`. */
export function asOutputFailure(error: unknown, path: string): unknown {
  if (error instanceof Failure || !(error instanceof Error) || !('code' in error)) return error;
  const code = String(error.code);
  if (code === 'EPIPE') return new ClosedPipe(`The reader of ${path} went away.`);
  const kind = code in writeErrors ? 'storage' : 'usage';
  const folder = dirname(path);
  // The missing folder may be that of a link.
  const canCreateFolder = code === 'ENOENT' && !existsSync(folder);
  const hint = canCreateFolder
    ? `Create it with: mkdir ${process.platform === 'win32' ? '' : '-p '}${shellWord(folder, process.platform)}`
    : 'Name a file that you may write.';
  return new Failure(kind, `${quotedName(path)} cannot be written: ${writeErrors[code] ?? openErrors[code] ?? code}.`, {
    hint: kind === 'storage' ? 'Free some space, or write elsewhere with -o.' : hint,
    cause: error,
  });
}
