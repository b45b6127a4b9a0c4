import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isGone, newIdentity } from '../../disk/process-identity.js';

/** What a run keeps beside its output while it is under way: the output itself, and the answers as they come. */
export type Beside = 'tmp' | 'journal';

const longestName = 255;

/** A name beside `target` that says which process writes it, where the file system has room for that. */
export function nameBeside(target: string, ending: Beside): string {
  const named = `.${basename(target)}.${newIdentity()}.${ending}`;
  const short = `.${basename(target)}.${randomBytes(6).toString('hex')}.${ending}`;
  return join(dirname(target), Buffer.byteLength(named) <= longestName ? named : short);
}

/** What processes that are now dead left beside `target`. */
export async function leftBeside(target: string, ending: Beside): Promise<string[]> {
  const start = `.${basename(target)}.`;
  const names = await readdir(dirname(target)).catch(() => []);
  return names
    .filter((name) => name.startsWith(start) && name.endsWith(`.${ending}`))
    .filter((name) => isGone(name.slice(start.length, -ending.length - 1)))
    .map((name) => join(dirname(target), name));
}

/** Removes what a finished output has made obsolete: what killed runs left, and what an interrupted one kept. */
export async function removeObsolete(target: string): Promise<void> {
  const left = [...(await leftBeside(target, 'tmp')), ...(await leftBeside(target, 'journal'))];
  for (const path of [...left, `${target}.partial`]) await rm(path, { force: true });
}
