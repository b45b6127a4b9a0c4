import { constants } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { Failure } from '../../../model/failure.js';

/** The real paths of the folders; throws `usage` for a path that is not a folder. */
export async function resolveFolders(folders: readonly string[]): Promise<string[]> {
  return Promise.all(
    folders.map(async (folder) => {
      const path = await realpath(folder).catch(() => null);
      if (path !== null && (await stat(path)).isDirectory()) return path;
      throw new Failure('usage', `--allow-folder: ${JSON.stringify(folder)} is not a folder.`);
    }),
  );
}

/**
 * Opens a regular file whose real path is inside one of the folders. Does not reveal whether a path
 * outside exists: every other path is refused in the same words.
 */
export async function openAllowedFile(path: string, folders: readonly string[]): Promise<FileHandle> {
  for (const folder of folders) {
    const real = await realpath(resolve(folder, path)).catch(() => null);
    if (!real?.startsWith(join(folder, sep))) continue;
    // Without NONBLOCK, opening a named pipe waits for its other end.
    const handle = await open(real, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null);
    const opened = await handle?.stat();
    // The path may have been changed before the file was opened.
    const named = (await realpath(real).catch(() => null)) === real ? await stat(real).catch(() => null) : null;
    if (handle && opened?.isFile() && named?.ino === opened.ino && named.dev === opened.dev) return handle;
    await handle?.close();
  }
  throw new Failure('forbidden', 'This path is not a file in an allowed folder.', {
    hint: folders.length === 0 ? 'The user can allow one with --allow-folder.' : 'Ask the user for the path.',
  });
}
