import { readFile, stat } from 'node:fs/promises';
import { openRows } from '../../rows/open-rows.js';
import { hashAddress, isHashed } from './address-hash.js';
import { keyOfAddress } from './mailbox-key.js';

const refreshMs = 60_000;

/** Reads suppression lists again within a minute after one of them was replaced. A list that has become unreadable keeps its entries. */
export async function watchSuppression(paths: readonly string[], now = Date.now): Promise<(email: string) => boolean> {
  const versionOf = async (): Promise<string> => {
    const stats = await Promise.all(paths.map((path) => stat(path)));
    return stats.map(({ mtimeMs, size, ino }) => `${ino}:${size}:${mtimeMs}`).join(' ');
  };
  let includes = await readSuppression(paths);
  let version = await versionOf();
  let checkedAt = now();
  const refresh = async (): Promise<void> => {
    const current = await versionOf();
    if (current === version) return;
    includes = await readSuppression(paths);
    version = current;
  };
  return (email) => {
    if (now() - checkedAt >= refreshMs) {
      checkedAt = now();
      refresh().catch(() => {});
    }
    return includes(email);
  };
}

/** The header of a list of bounces that has no address yet. */
const suppressionHeader = 'address,since,kind,times\n';

async function isEmptyList(path: string): Promise<boolean> {
  const { size } = await stat(path).catch(() => ({ size: -1 }));
  return size === suppressionHeader.length && (await readFile(path, 'utf8')) === suppressionHeader;
}

/** Reads lists of addresses, domains (`x.org`, `@x.org`) and SHA-256 hashes of addresses; returns a function that is true for their entries. */
export async function readSuppression(
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<(email: string) => boolean> {
  const entries = new Set<string>();
  let hasHashes = false;
  for (const path of paths) {
    if (await isEmptyList(path)) continue;
    const source = await openRows({ path }, { mayBeEmpty: true, ...(signal && { signal }) });
    for await (const rows of source.chunks) {
      for (const { email } of rows) {
        const entry = email.trim().toLowerCase().replace(/^@/, '');
        if (entry === '') continue;
        entries.add(entry.includes('@') ? keyOfAddress(email.trim()) : entry);
        hasHashes ||= isHashed(entry);
      }
    }
  }
  return (email) => {
    const key = keyOfAddress(email);
    if (entries.has(key) || entries.has(key.slice(key.lastIndexOf('@') + 1))) return true;
    return hasHashes && entries.has(hashAddress(email));
  };
}
