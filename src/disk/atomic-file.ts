import { type FileHandle, open, rename, rm } from 'node:fs/promises';

/** A file that appears under its name only once it is complete. */
export interface AtomicFile {
  handle: FileHandle;
  /** Flushed and renamed when it returns; a failure leaves nothing. */
  commit(): Promise<void>;
  /** Removes the file; also after a failure. */
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
