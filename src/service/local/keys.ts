import { makeKey } from '../../jobs/api-keys.js';
import { openSqliteStore } from '../../jobs/store/sqlite/sqlite-store.js';
import type { KeyRecord } from '../../jobs/store/store.js';
import { openJobFiles } from '../../jobs/uploads/job-files.js';
import { Failure } from '../../model/failure.js';

/** What a new key is to be. */
export interface KeyWish {
  name: string;
  plan: string;
  /** Null: without limit. */
  credits: number | null;
  /** Null: never. */
  expiresAt: number | null;
}

/** The keys of a server on this machine; it may run meanwhile. */
export interface KeyDesk {
  /** The key itself is given here and never again. */
  create(wish: KeyWish): Promise<{ key: string; record: KeyRecord }>;
  list(): Promise<KeyRecord[]>;
  /** By its id; fails with `not_found`. */
  revoke(id: string): Promise<KeyRecord>;
  close(): Promise<void>;
}

/** Opens the store under the data directory. */
export async function openKeyDesk(home: string): Promise<KeyDesk> {
  const store = await openSqliteStore(openJobFiles(home).storePath);
  return {
    create: async (wish) => {
      const { key, hash, record } = makeKey(wish, Date.now());
      await store.addKey(record, hash);
      return { key, record };
    },
    list: () => store.listKeys(),
    revoke: async (id) => {
      const revoked = await store.revokeKey(id, Date.now());
      if (revoked !== null) return revoked;
      throw new Failure('not_found', 'There is no such key.', { hint: 'mailvet keys list shows the keys there are.' });
    },
    close: () => store.close(),
  };
}
