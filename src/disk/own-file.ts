import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { lstat } from 'node:fs/promises';

/** Whether a path is a regular file of this user, and no link: others can plant files in a folder that they may write to. */
export async function isOwnFile(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => null);
  const user = process.geteuid?.();
  return stats?.isFile() === true && (user === undefined || stats.uid === user);
}

/** Opens a regular file for reading; null for anything else, and for one above the size. A pipe or a device could block forever. */
export function openRegularFile(path: string, maxBytes: number): number | null {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const stats = fstatSync(file);
  if (stats.isFile() && stats.size <= maxBytes) return file;
  closeSync(file);
  return null;
}
