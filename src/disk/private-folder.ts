import { chmodSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../model/failure.js';

/**
 * Makes a folder and its parents with mode 0700. Node's recursive mkdir never returns where the file system denies it
 * with ENOENT, as /proc and automounters do.
 */
export function makePrivateFolder(path: string): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) makePrivateFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it.
    if (!isFolder(path)) throw error;
  }
}

/**
 * The same for a folder of the data directory, whose mode is restored. Links are not followed: another user could have
 * planted one.
 */
export function makeOwnFolder(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new Failure('storage', `The data directory has a link where its own folder must be: ${path}`, {
      hint: 'Remove the link. To keep the data elsewhere, set MAILVET_HOME to a directory there.',
    });
  }
  makePrivateFolder(path);
  chmodSync(path, 0o700);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
