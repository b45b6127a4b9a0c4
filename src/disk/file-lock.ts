import { readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makePrivateFolder } from './private-folder.js';
import { isGone, newIdentity } from './process-identity.js';
import { storageFailure } from './storage-failure.js';

/** A lock between processes that survives nobody: a dead holder's is taken over, a live one's never. */
interface FileLock {
  tryAcquire(): boolean;
  release(): void;
  /** The identity of the holder, or null. */
  holder(): string | null;
  close(): void;
}

/**
 * The lock is a directory that holds its owner's name. Renaming a filled directory onto it succeeds only where it is absent or
 * empty (POSIX rename), so taking it is one atomic step; breaking it removes the dead owner's name and nothing else, so two
 * that break it at once cannot break each other's.
 */
export function openFileLock(path: string): FileLock {
  removeLeftovers(path);
  const identity = newIdentity();
  const own = `${path}.${identity}`;
  makeOwn(path, own, identity);
  let held = false;

  const take = (): boolean => {
    try {
      renameSync(own, path);
      held = true;
      return true;
    } catch (error) {
      if (isTaken(error)) return false;
      throw storageFailure(error, path);
    }
  };
  const release = (): void => {
    if (!held) return;
    held = false;
    renameSync(path, own);
  };
  return {
    tryAcquire: () => held || take() || (removeTheDead(path) && take()),
    release,
    holder: () => namesIn(path)[0] ?? null,
    close: () => {
      release();
      rmSync(own, { recursive: true, force: true });
    },
  };
}

function makeOwn(path: string, own: string, identity: string): void {
  try {
    makePrivateFolder(own);
    writeFileSync(join(own, identity), '', { mode: 0o600 });
  } catch (error) {
    throw storageFailure(error, path);
  }
}

/** EPERM and EACCES: how Windows says that the target exists; elsewhere we have just made a directory beside it, so we may. */
function isTaken(error: unknown): boolean {
  return ['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES'].includes(String((error as NodeJS.ErrnoException).code));
}

/** True where nobody is left in the lock. */
function removeTheDead(path: string): boolean {
  for (const name of namesIn(path)) {
    if (!isGone(name)) return false;
    rmSync(join(path, name), { recursive: true, force: true });
  }
  try {
    // Windows cannot rename onto a directory, even an empty one.
    rmdirSync(path);
  } catch {
    // It is gone, or someone else is in it by now: taking it tells.
  }
  return true;
}

/** What processes killed while they did not hold the lock left beside it. */
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
