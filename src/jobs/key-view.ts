import type { ApiKey } from '../model/api-key.js';
import type { KeyRecord } from './store/keys.js';

/** A key as everyone sees it. */
export function toApiKey(key: KeyRecord): ApiKey {
  const { id, name, prefix, plan, credits } = key;
  return {
    ...{ id, name, prefix, plan, credits },
    created_at: new Date(key.createdAt).toISOString(),
    expires_at: timeOf(key.expiresAt),
    revoked_at: timeOf(key.revokedAt),
    last_used_at: timeOf(key.lastUsedAt),
  };
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
