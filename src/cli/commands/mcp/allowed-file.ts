import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { Failure } from '../../../model/failure.js';

const maxFileBytes = 64 * 1024 * 1024;

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
    if (!real?.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)) continue;
    // Without NONBLOCK, opening a named pipe waits for its other end.
    const handle = await open(real, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null);
    if (handle === null) continue;
    const opened = await handle.stat();
    const isAllowed = opened.isFile() && (await isStillAt(real, opened));
    if (isAllowed && opened.size <= maxFileBytes) return handle;
    await handle.close();
    if (isAllowed)
      throw new Failure('too_large', 'The file is larger than 64 MB.', { hint: 'Run mailvet bulk for it.' });
  }
  throw new Failure('forbidden', 'This path is not a file in an allowed folder.', {
    hint:
      folders.length === 0
        ? 'No folder is allowed. The user can add one with --allow-folder.'
        : 'Ask the user for the path.',
  });
}

/** The path may have been changed before the file was opened. */
async function isStillAt(real: string, opened: Stats): Promise<boolean> {
  const named = await stat(real).catch(() => null);
  return named?.ino === opened.ino && named.dev === opened.dev && (await realpath(real).catch(() => null)) === real;
}
