import { chmodSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Failure } from '../model/failure.js';
import { isGone, newIdentity } from './process-identity.js';

/**
 * Creates a folder and its parents with mode 0700. Node's recursive mkdir never returns if the file system denies it
 * with ENOENT, as /proc and automounters do.
 */
export function makePrivateFolder(path: string): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) makePrivateFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it.
    if (!isFolder(path)) throw error;
  }
}

/**
 * Creates a folder of the data directory and restores its mode. Links are not followed: another user could have
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

/** Whether others may enter a folder; a folder above it may protect it. */
export function isOpenToOthers(folder: string): boolean {
  const { mode = 0o777 } = statSync(folder, { throwIfNoEntry: false }) ?? {};
  if ((mode & 0o011) === 0) return false;
  const parent = dirname(folder);
  return parent === folder || isOpenToOthers(parent);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Creates a temporary folder with mode 0700, and removes those that killed processes of this user left. */
export async function makeScratchFolder(kind: string, user = process.geteuid?.() ?? null): Promise<string> {
  const parent = tmpdir();
  const prefix = `mailvet-${kind}-`;
  const names = await readdir(parent).catch(() => []);
  for (const name of names) {
    const isLeftover = name.startsWith(prefix) && isGone(name.slice(prefix.length));
    if (isLeftover && (await isOwn(join(parent, name), user)))
      await rm(join(parent, name), { recursive: true, force: true });
  }
  const folder = join(parent, `${prefix}${newIdentity()}`);
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (cause) {
    throw new Failure('storage', `Cannot write to the folder for temporary files: ${parent}.`, {
      hint: 'Set TMPDIR to a writable folder.',
      cause,
    });
  }
  return folder;
}

/**
 * Another user could exchange the content of a foreign folder while it is removed. Windows has no user ids (null), and a
 * folder for temporary files for each user.
 */
async function isOwn(path: string, user: number | null): Promise<boolean> {
  const stats = await lstat(path).catch(() => null);
  return stats?.isDirectory() === true && (user === null || stats.uid === user);
}
