import { randomBytes } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from '../settings/private-folder.js';

const secretBytes = 32;

/**
 * A secret in the data directory, made when it is first asked for. With it a later run asks a domain for the same random mailbox,
 * which a greylist then knows. Where nothing can be kept, each run has its own.
 */
export function mailboxSecret(home: string): () => Uint8Array {
  const file = join(home, 'random-mailbox.key');
  return () => {
    const fresh = randomBytes(secretBytes);
    try {
      makePrivateFolder(home);
      // Never over one that another process has made meanwhile, but over one that a full disk cut short.
      const flag = isCutShort(file) ? 'w' : 'wx';
      writeFileSync(file, fresh, { mode: 0o600, flag });
      return fresh;
    } catch {
      return kept(file) ?? fresh;
    }
  };
}

function isCutShort(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? secretBytes) < secretBytes;
}

function kept(file: string): Uint8Array | null {
  try {
    return readFileSync(file).subarray(0, secretBytes);
  } catch {
    return null;
  }
}
