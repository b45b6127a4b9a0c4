import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { ApiKey } from '../model/api-key.js';
import { Failure } from '../model/failure.js';
import { testKeyPrefix } from '../model/sandbox.js';
import type { KeyRecord } from './store/keys.js';

const prefix = 'mv_';
const randomCharsShown = 7;

/** A new key: the text to show once, its hash to store, and its record. */
export function makeKey(
  options: {
    name: string;
    plan: string;
    credits: number | null;
    expiresAt: number | null;
    memberId?: string | null;
    /** The key is accepted only for addresses of the sandbox. */
    isTest?: boolean;
  },
  now: number,
): { key: string; hash: string; record: KeyRecord } {
  const { isTest = false, ...fields } = options;
  const key = `${isTest ? testKeyPrefix : prefix}${randomBytes(32).toString('base64url')}`;
  // One random key in a billion looks like a test key.
  if (!isTest && key.startsWith(testKeyPrefix)) return makeKey(options, now);
  const record = {
    ...fields,
    granted: options.credits,
    memberId: options.memberId ?? null,
    id: randomUUID(),
    prefix: publicPrefix(key),
    createdAt: now,
    revokedAt: null,
    lastUsedAt: null,
  };
  return { key, hash: hashKey(key), record };
}

/** The beginning of a key, which lists show. */
export function publicPrefix(key: string): string {
  return key.slice(0, (key.startsWith(testKeyPrefix) ? testKeyPrefix : prefix).length + randomCharsShown);
}

/** The stored hash of a key. Keys are long and random, so that a fast hash is safe, and a lookup by it leaks no timing. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

export function toApiKey(key: KeyRecord): ApiKey {
  const { id, name, prefix, plan, credits } = key;
  return {
    id,
    name,
    prefix,
    plan,
    credits,
    created_at: new Date(key.createdAt).toISOString(),
    expires_at: timeOf(key.expiresAt),
    revoked_at: timeOf(key.revokedAt),
    last_used_at: timeOf(key.lastUsedAt),
  };
}

export function keyRevoked(): Failure {
  return new Failure('conflict', 'The key was revoked; create a new one instead.');
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
