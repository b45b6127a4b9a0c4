import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { asReadFailure } from '../../rows/read/decode/read-failure.js';

/** Whether a path is a file, and not a pipe, which can be read only once. */
export function isRegularFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}

/** The digest of files that can be read again. */
export async function digestFiles(paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const path of paths) {
    try {
      for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
    } catch (error) {
      throw asReadFailure(error, path);
    }
  }
  return hash.digest('hex');
}
