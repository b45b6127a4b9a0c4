import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';

/** A file that appears under its name only once it is complete. */
export interface AtomicFile {
  handle: FileHandle;
  /** Flushed and renamed when it returns; a failure leaves nothing. */
  commit(): Promise<void>;
  /** Closes and removes the temporary file. Safe to call after a failed write. */
  discard(): Promise<void>;
}

/** Opens a file with mode 0600 under `temporary`, on the same disk as `target`. */
export async function openAtomicFile(target: string, temporary: string): Promise<AtomicFile> {
  // Exclusive, so that a planted link is not followed.
  const handle = await open(temporary, 'wx', 0o600);
  const discard = async (): Promise<void> => {
    await handle.close();
    await rm(temporary, { force: true });
  };
  return {
    handle,
    commit: async () => {
      try {
        await handle.sync();
        await handle.close();
        await rename(temporary, target);
      } catch (error) {
        await discard();
        throw error;
      }
    },
    discard,
  };
}

/** Replaces a file in one step. Its mode stays; a new file gets 0600. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const mode = await stat(path).then(
    (stats) => stats.mode & 0o777,
    () => 0o600,
  );
  const file = await openAtomicFile(path, `${path}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await file.handle.chmod(mode);
    await file.handle.writeFile(text);
  } catch (error) {
    await file.discard();
    throw error;
  }
  await file.commit();
}
