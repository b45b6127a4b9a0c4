import { randomBytes } from 'node:crypto';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isGone, newIdentity } from '../../disk/process-identity.js';

/** What a run keeps beside its output while it is under way: the output itself, and the answers as they come. */
type TemporaryKind = 'tmp' | 'journal';

const longestName = 255;

/** A name beside `target` that says which process writes it, where the file system has room for that. */
export function temporaryName(target: string, ending: TemporaryKind): string {
  const named = `.${basename(target)}.${newIdentity()}.${ending}`;
  const short = `.${basename(target)}.${randomBytes(6).toString('hex')}.${ending}`;
  return join(dirname(target), Buffer.byteLength(named) <= longestName ? named : short);
}

/** What processes that are now dead left beside `target`. */
export async function orphanedFiles(target: string, ending: TemporaryKind): Promise<string[]> {
  const start = `.${basename(target)}.`;
  const names = await readdir(dirname(target)).catch(() => []);
  return names
    .filter((name) => name.startsWith(start) && name.endsWith(`.${ending}`))
    .filter((name) => isGone(name.slice(start.length, -ending.length - 1)))
    .map((name) => join(dirname(target), name));
}

/**
 * Keeps what an interrupted run wrote as `TARGET.partial`, and gives its name. What an earlier one kept is replaced only by as much or
 * more, since its answers may have been paid for; else it gets a number of its own, and `--resume` takes them all.
 */
export async function keepPartial(written: string, target: string): Promise<string> {
  const { size } = await stat(written);
  for (let number = 1; ; number++) {
    const kept = partialName(target, number);
    const earlier = await stat(kept).catch(() => null);
    if (earlier !== null && earlier.size > size) continue;
    await rename(written, kept);
    return kept;
  }
}

/** `TARGET.partial`, `TARGET.partial.2` … */
function partialName(target: string, number: number): string {
  return number === 1 ? `${target}.partial` : `${target}.partial.${number}`;
}

/** Removes what a finished output has made obsolete: what killed runs left, and what interrupted ones kept. */
export async function removeLeftovers(target: string): Promise<void> {
  const left = [...(await orphanedFiles(target, 'tmp')), ...(await orphanedFiles(target, 'journal'))];
  for (const path of left) await rm(path, { force: true });
  for (let number = 1; await isThere(partialName(target, number)); number++) {
    await rm(partialName(target, number), { force: true });
  }
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}
