import { type FileHandle, open, rename, rm } from 'node:fs/promises';

/** A file that appears in its place only once it is whole. */
export interface AtomicFile {
  handle: FileHandle;
  /** On the disk and in its place when it returns; after a failure nothing is left. */
  keep(): Promise<void>;
  /** Leaves nothing; also after a failure. */
  discard(): Promise<void>;
}

/** Opens a file for its owner alone under the name `temporary`, on the same disk as `target`, where it is put in the end. */
export async function openAtomicFile(target: string, temporary: string): Promise<AtomicFile> {
  // Exclusive, so that a link planted under this name is not followed.
  const handle = await open(temporary, 'wx', 0o600);
  const discard = async (): Promise<void> => {
    await handle.close();
    await rm(temporary, { force: true });
  };
  return {
    handle,
    keep: async () => {
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
