import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readSync } from 'node:fs';

/** Whether a path is a regular file of this user and not a link: others can plant files in a folder that they may write to. */
export function isOwnFile(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  const user = process.geteuid?.();
  return stats?.isFile() === true && (user === undefined || stats.uid === user);
}

/** Opens a regular file for reading; null for anything else, and for a file that is too large. A pipe or a device could block forever. */
export function openRegularFile(path: string, maxBytes: number): number | null {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const stats = fstatSync(file);
  if (stats.isFile() && stats.size <= maxBytes) return file;
  closeSync(file);
  return null;
}

const maxSmallFileBytes = 64 * 1024 * 1024;
/** How long the writer of a pipe may be silent. */
const pipeTimeoutMs = 5_000;

/** Reads a regular file or a pipe. A device could be endless, and opening a pipe without a writer could block forever. */
export function readSmallFile(path: string, maxBytes: number = maxSmallFileBytes): Buffer {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(file);
    if (stats.isFIFO()) return readPipe(file, maxBytes);
    if (stats.isDirectory()) throw new Error('it is a directory');
    if (!stats.isFile()) throw new Error('it is not a regular file');
    if (stats.size > maxBytes) throw tooLarge(maxBytes);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function readPipe(file: number, maxBytes: number): Buffer {
  const chunks: Buffer[] = [];
  const clock = new Int32Array(new SharedArrayBuffer(4));
  let totalBytes = 0;
  for (let silentMs = 0; silentMs < pipeTimeoutMs; silentMs += 10) {
    const chunk = readAvailable(file);
    if (chunk === null) Atomics.wait(clock, 0, 0, 10);
    else if (chunk.length > 0) {
      chunks.push(chunk);
      totalBytes += chunk.length;
      silentMs = 0;
      if (totalBytes > maxBytes) throw tooLarge(maxBytes);
    } else if (totalBytes > 0) return Buffer.concat(chunks);
    else throw new Error('nothing is written to the pipe');
  }
  throw new Error('the pipe does not end');
}

/** The next bytes of a pipe, none at its end, null if there are none yet. */
function readAvailable(file: number): Buffer | null {
  const chunk = Buffer.allocUnsafe(65_536);
  try {
    return chunk.subarray(0, readSync(file, chunk));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return null;
    throw error;
  }
}

function tooLarge(maxBytes: number): Error {
  return new Error(`it has more than ${maxBytes} bytes`);
}

/** Why a file could not be read, as the end of a sentence. */
export function readProblem(cause: unknown): string {
  if (!(cause instanceof Error)) return 'it could not be opened';
  const code = (cause as NodeJS.ErrnoException).code;
  if (code === undefined) return cause.message;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'EISDIR') return 'it is a directory';
  return code;
}
