import { readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makePrivateFolder } from './private-folder.js';
import { isGone, newIdentity } from './process-identity.js';
import { storageFailure } from './storage-failure.js';

/** A lock between processes. The lock of a dead process is taken over, never that of a live one. */
export interface FileLock {
  tryAcquire(): boolean;
  release(): void;
  holder(): string | null;
  close(): void;
}

/**
 * The lock is a directory that contains its owner's name. Renaming a non-empty directory onto it succeeds only if it is
 * absent or empty (POSIX rename), so taking it is atomic; breaking it removes only the dead owner's name, so concurrent
 * breakers cannot break each other's.
 */
export function openFileLock(path: string): FileLock {
  removeLeftovers(path);
  const identity = newIdentity();
  const ownFolder = `${path}.${identity}`;
  createOwnFolder(path, ownFolder, identity);
  let isHeld = false;

  const acquire = (): boolean => {
    try {
      renameSync(ownFolder, path);
      isHeld = true;
      return true;
    } catch (error) {
      if (isTaken(error)) return false;
      throw storageFailure(error, path);
    }
  };
  const release = (): void => {
    if (!isHeld) return;
    isHeld = false;
    // A user may have removed the lock, and another process may hold it since.
    if (namesIn(path).includes(identity)) renameSync(path, ownFolder);
  };
  return {
    tryAcquire: () => isHeld || acquire() || (removeDeadOwner(path) && acquire()),
    release,
    holder: () => namesIn(path)[0] ?? null,
    close: () => {
      release();
      rmSync(ownFolder, { recursive: true, force: true });
    },
  };
}

function createOwnFolder(path: string, ownFolder: string, identity: string): void {
  try {
    makePrivateFolder(ownFolder);
    writeFileSync(join(ownFolder, identity), '', { mode: 0o600 });
  } catch (error) {
    throw storageFailure(error, path);
  }
}

/** Windows reports EPERM or EACCES if the target exists. */
function isTaken(error: unknown): boolean {
  return ['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES'].includes(String((error as NodeJS.ErrnoException).code));
}

/** True if the lock is now empty. */
function removeDeadOwner(path: string): boolean {
  for (const name of namesIn(path)) {
    if (!isGone(name)) return false;
    rmSync(join(path, name), { recursive: true, force: true });
  }
  try {
    // Windows cannot rename onto a directory, even an empty one.
    rmdirSync(path);
  } catch {
    // The lock is gone or held by another process: acquiring it shows which.
  }
  return true;
}

/** Removes the leftovers of processes that were killed while they acquired the lock. */
function removeLeftovers(path: string): void {
  const prefix = `${basename(path)}.`;
  for (const name of namesIn(dirname(path))) {
    if (!name.startsWith(prefix) || !isGone(name.slice(prefix.length))) continue;
    rmSync(join(dirname(path), name), { recursive: true, force: true });
  }
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
