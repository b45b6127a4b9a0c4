import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { KeyRecord } from './store/keys.js';

const prefix = 'mv_';
const shownLength = 10;

/** A new key: the text to show once, its hash to keep, and its record. */
export function makeKey(
  wanted: { name: string; plan: string; credits: number | null; expiresAt: number | null },
  now: number,
): { key: string; hash: string; record: KeyRecord } {
  const key = `${prefix}${randomBytes(32).toString('base64url')}`;
  const record = {
    ...wanted,
    granted: wanted.credits,
    id: randomUUID(),
    prefix: key.slice(0, shownLength),
    createdAt: now,
    revokedAt: null,
    lastUsedAt: null,
  };
  return { key, hash: hashKey(key), record };
}

/** What is stored of a key. Keys are random and long, so a plain hash cannot be guessed back, and looking it up tells nothing of the key by its timing. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
