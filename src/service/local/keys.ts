import { hashPassword, isPassword, passwordFault } from '../../jobs/admin-password.js';
import { makeKey } from '../../jobs/api-keys.js';
import { toApiKey } from '../../jobs/key-view.js';
import { openStore, type StorePlace } from '../../jobs/store/open-store.js';
import type { JobStore } from '../../jobs/store/store.js';
import type { ApiKeys } from '../../model/api-key.js';
import { Failure } from '../../model/failure.js';

/** Opens the store that holds the keys. */
export async function openApiKeys(place: StorePlace): Promise<ApiKeys> {
  const { store } = await openStore(place);
  return {
    create: async (wish) => {
      const { key, hash, record } = makeKey(wish, Date.now());
      await store.addKey(record, hash);
      return { key, record: toApiKey(record) };
    },
    list: async () => (await store.listKeys()).map(toApiKey),
    revoke: async (id) => {
      const revoked = await store.revokeKey(id, Date.now());
      if (revoked !== null) return toApiKey(revoked);
      throw new Failure('not_found', 'There is no such key.', { hint: 'mailvet keys list shows all keys.' });
    },
    setAdminPassword: (password) => changePassword(store, password),
    close: () => store.close(),
  };
}

/** Makes it the administrator's password where it is not already; then nobody has to sign in again. */
export async function keepAdminPassword(store: JobStore, password: string): Promise<void> {
  const stored = await store.adminPassword();
  if (stored === null || !(await isPassword(password, stored))) await changePassword(store, password);
}

async function changePassword(store: JobStore, password: string): Promise<void> {
  const fault = passwordFault(password);
  if (fault !== null) throw fault;
  await store.setAdminPassword(await hashPassword(password), Date.now(), false);
}
