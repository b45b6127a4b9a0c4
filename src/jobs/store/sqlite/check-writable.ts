import { open, rm, writeFile } from 'node:fs/promises';
import { storageFailure } from '../../../disk/storage-failure.js';

/** As much as the smallest write to the store takes. */
const probe = Buffer.alloc(4_096, 1);

/**
 * Fails with `storage` where the file may not be written, or its disk has no room. It writes beside the store and not to it: a
 * commit waits for the disk, and everybody waits for the commit.
 */
export async function checkWritable(path: string): Promise<void> {
  const beside = `${path}.writable`;
  try {
    await (await open(path, 'r+')).close();
    // Not through a link that somebody has put there.
    await rm(beside, { force: true });
    await writeFile(beside, probe, { mode: 0o600, flag: 'wx' });
    await rm(beside, { force: true });
  } catch (error) {
    // Another server on the same store was looking at this moment.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    await rm(beside, { force: true }).catch(() => {});
    throw storageFailure(error, path);
  }
}
