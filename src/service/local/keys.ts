import { makeKey } from '../../jobs/api-keys.js';
import { openStore } from '../../jobs/store/open-store.js';
import type { KeyRecord } from '../../jobs/store/store.js';
import type { ApiKey, ApiKeys } from '../../model/api-key.js';
import { Failure } from '../../model/failure.js';

/** Opens the store under the data directory. */
export async function openApiKeys(home: string): Promise<ApiKeys> {
  const { store } = await openStore(home);
  return {
    create: async (wish) => {
      const { key, hash, record } = makeKey(wish, Date.now());
      await store.addKey(record, hash);
      return { key, record: shown(record) };
    },
    list: async () => (await store.listKeys()).map(shown),
    revoke: async (id) => {
      const revoked = await store.revokeKey(id, Date.now());
      if (revoked !== null) return shown(revoked);
      throw new Failure('not_found', 'There is no such key.', { hint: 'mailvet keys list shows all keys.' });
    },
    close: () => store.close(),
  };
}

function shown(key: KeyRecord): ApiKey {
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
