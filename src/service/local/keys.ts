import { hashPassword, isPassword, passwordFault } from '../../jobs/admin-password.js';
import { keyRevoked, makeKey, toApiKey } from '../../jobs/api-keys.js';
import { requireName } from '../../jobs/members.js';
import type { KeyRecord } from '../../jobs/store/keys.js';
import { openStore, type StoreLocation } from '../../jobs/store/open-store.js';
import type { JobStore } from '../../jobs/store/store.js';
import type { ApiKeys } from '../../model/api-key.js';
import { Failure } from '../../model/failure.js';

export async function openApiKeys(location: StoreLocation): Promise<ApiKeys> {
  const { store } = await openStore(location);
  return {
    create: async (options) => {
      const { key, hash, record } = makeKey(options, Date.now());
      await store.addKey(record, hash);
      return { key, record: toApiKey(record) };
    },
    list: async () => (await store.listKeys()).map(toApiKey),
    find: async (text) => toApiKey(findKey(text, await store.listKeys())),
    change: async (text, change) => {
      const { id, revokedAt } = findKey(text, await store.listKeys());
      if (revokedAt !== null) throw keyRevoked();
      const changed = await store.changeKey(id, {
        ...change,
        ...(change.name !== undefined && { name: requireName(change.name) }),
      });
      if (changed === null) throw noSuchKey();
      return toApiKey(changed);
    },
    revoke: async (text) => {
      const { id } = findKey(text, await store.listKeys());
      const revoked = await store.revokeKey(id, Date.now());
      if (revoked === null) throw noSuchKey();
      return toApiKey(revoked);
    },
    setAdminPassword: (password) => changePassword(store, password),
    close: () => store.close(),
  };
}

/** The key with that prefix of an id, if it is unique: narrow tables truncate ids. */
function findKey(text: string, keys: readonly KeyRecord[]): KeyRecord {
  const prefix = text.trim().toLowerCase();
  const matches = prefix === '' ? [] : keys.filter(({ id }) => id.startsWith(prefix));
  const [match] = matches;
  if (match === undefined) throw noSuchKey();
  if (matches.length === 1) return match;
  const examples = matches.slice(0, 5).map(({ id, name }) => `${id} (${name})`);
  throw new Failure('usage', `${matches.length} keys begin with ${prefix}.`, {
    hint: `Give more of the id: ${examples.join(', ')}`,
  });
}

function noSuchKey(): Failure {
  return new Failure('not_found', 'There is no such key.', {
    hint: 'Give the id of a key; mailvet keys list shows them.',
  });
}

/** Sets the administrator's password unless it is set already: a change ends all sessions. */
export async function ensureAdminPassword(store: JobStore, password: string): Promise<void> {
  const stored = await store.adminPasswordHash();
  if (stored === null || !(await isPassword(password, stored))) await changePassword(store, password);
}

async function changePassword(store: JobStore, password: string): Promise<void> {
  const fault = passwordFault(password);
  if (fault !== null) throw fault;
  await store.setAdminPassword(await hashPassword(password), Date.now(), false);
}
