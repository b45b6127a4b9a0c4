import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../model/failure.js';
import { isGone, newIdentity } from './process-identity.js';

/** Makes a temporary folder with mode 0700, and removes those that killed processes left. */
export async function makeScratchFolder(kind: string): Promise<string> {
  const place = tmpdir();
  const prefix = `mailvet-${kind}-`;
  const names = await readdir(place).catch(() => []);
  for (const name of names) {
    const isLeft = name.startsWith(prefix) && isGone(name.slice(prefix.length));
    if (isLeft && (await isOwn(join(place, name)))) await rm(join(place, name), { recursive: true, force: true });
  }
  const folder = join(place, `${prefix}${newIdentity()}`);
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (cause) {
    throw new Failure('storage', `Nothing can be written to the folder for temporary files, ${place}.`, {
      hint: 'Set TMPDIR to a folder that you may write.',
      cause,
    });
  }
  return folder;
}

/** Another user could exchange the content of a foreign folder while it is removed. */
async function isOwn(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  return found?.isDirectory() === true && found.uid === process.geteuid?.();
}
