import { createHash } from 'node:crypto';
import { openRows } from '../../rows/open-rows.js';
import { keyOfAddress } from './mailbox-key.js';

/** The SHA-256 of a mailbox in hexadecimal, as ad platforms and suppression lists use it. */
export function hashAddress(email: string): string {
  return createHash('sha256').update(keyOfAddress(email.trim())).digest('hex');
}

/** Reads suppression lists: addresses, domains (`x.org`, `@x.org`), and the SHA-256 of addresses. True for what they hold. */
export async function readSuppression(
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<(email: string) => boolean> {
  const entries = new Set<string>();
  let hasHashes = false;
  for (const path of paths) {
    const source = await openRows({ path }, { mayBeEmpty: true, ...(signal && { signal }) });
    for await (const rows of source.chunks) {
      for (const { email } of rows) {
        const entry = email.trim().toLowerCase().replace(/^@/, '');
        if (entry === '') continue;
        entries.add(entry.includes('@') ? keyOfAddress(email.trim()) : entry);
        hasHashes ||= /^[\da-f]{64}$/.test(entry);
      }
    }
  }
  return (email) => {
    const key = keyOfAddress(email);
    if (entries.has(key) || entries.has(key.slice(key.lastIndexOf('@') + 1))) return true;
    return hasHashes && entries.has(hashAddress(email));
  };
}
