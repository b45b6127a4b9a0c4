import { randomBytes } from 'node:crypto';
import { lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from './private-folder.js';

const secretBytes = 32;

/** A secret in the data directory, created on first use. If nothing can be written, each run has its own. */
export function persistentSecret(home: string, name: string): () => Uint8Array {
  const file = join(home, name);
  return () => {
    const newSecret = randomBytes(secretBytes);
    try {
      makePrivateFolder(home);
      if (isUnusable(file)) rmSync(file);
      // Never overwrites one of another process, and never follows a link.
      writeFileSync(file, newSecret, { mode: 0o600, flag: 'wx' });
      return newSecret;
    } catch {
      return readSecret(file) ?? newSecret;
    }
  };
}

/** Truncated by a full disk, or not a regular file: a link, or a pipe that would block. */
function isUnusable(file: string): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats !== undefined && !(stats.isFile() && stats.size === secretBytes);
}

function readSecret(file: string): Uint8Array | null {
  try {
    return isUnusable(file) ? null : readFileSync(file);
  } catch {
    return null;
  }
}
