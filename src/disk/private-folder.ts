import { chmodSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../model/failure.js';

/**
 * Makes a folder, with those above it, for its owner alone. Node's own recursive way never ends where a file system denies a new
 * folder with "no such file or directory", as /proc and automounters do.
 */
export function makePrivateFolder(path: string): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) makePrivateFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster.
    if (!isFolder(path)) throw error;
  }
}

/**
 * The same for one within the data directory, which stays private whatever was done to it. A link is never followed: whoever may
 * write beside it could have made it, to have another folder of ours filled or its rights changed.
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
