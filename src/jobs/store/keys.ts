import type { ApiKey, ApiKeyChange } from '../../model/api-key.js';
import { Failure } from '../../model/failure.js';
import { cancelOpenJobs } from './job-changes.js';
import {
  all,
  forRequests,
  get,
  getLocked,
  inList,
  insert,
  listValue,
  run,
  type SqlBackend,
  type Steps,
} from './sql.js';

/** An API key as stored: never the key itself. */
export interface KeyRecord extends Pick<ApiKey, 'id' | 'name' | 'prefix' | 'plan' | 'credits'> {
  /** All credits ever granted; null if unknown or without limit. */
  granted: number | null;
  createdAt: number;
  expiresAt: number | null;
  revokedAt: number | null;
  lastUsedAt: number | null;
  /** The member it belongs to; absent or null: the administrators. */
  memberId?: string | null;
}

const columns = 'id, name, prefix, plan, credits, granted, created_at, expires_at, revoked_at, last_used_at, member_id';

export function keysTable(backend: SqlBackend) {
  const { maxRows, read, write, notifyNodes } = backend;
  /** Finds keys by their hashes in one transaction. Null for an unknown, revoked or expired key. */
  const findKeys = async (hashes: readonly string[], now: number): Promise<(KeyRecord | null)[]> => {
    const find = `SELECT hash, ${columns} FROM keys
      WHERE hash ${inList} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)`;
    const rows = await read(() => all<KeyRecord & { hash: string }>(find, listValue(hashes), now), forRequests);
    const byHash = new Map<string, KeyRecord>(rows.map(({ hash, ...key }) => [hash, key]));
    return hashes.map((hash) => byHash.get(hash) ?? null);
  };
  return {
    addKey: (key: KeyRecord, hash: string) =>
      write(function* () {
        // A member who is removed at the same time gets no key.
        if (key.memberId != null && !(yield* getLocked('SELECT id FROM members WHERE id = ?', key.memberId)))
          throw new Failure('not_found', 'There is no such member.', { hint: 'They may have been removed.' });
        yield* insert('keys', { ...key, hash });
        yield* notifyNodes();
      }),
    /** Oldest first. */
    listKeys: async () => {
      const keys: KeyRecord[] = [];
      const next = `SELECT ${columns} FROM keys WHERE id > ? ORDER BY id LIMIT ?`;
      for (let isFull = true; isFull; ) {
        const page = await read(() => all<KeyRecord>(next, keys.at(-1)?.id ?? '', maxRows));
        keys.push(...page);
        isFull = page.length === maxRows;
      }
      return keys.sort((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1));
    },
    findKeys,
    findKey: async (hash: string, now: number) => (await findKeys([hash], now))[0] ?? null,
    /** Reads a key by its id, in any state. */
    getKey: (id: string) => read(() => keyById(id), forRequests),
    /** Records when keys were last used. Separate from `findKey`, so that a request does not wait for the disk. */
    touchKeys: async (uses: ReadonlyMap<string, number>) => {
      const touch = `UPDATE keys SET last_used_at = CAST(used.value ->> 1 AS bigint) FROM json_each(?) AS used
        WHERE keys.id = used.value ->> 0 AND coalesce(last_used_at, 0) < CAST(used.value ->> 1 AS bigint)`;
      const entries = [...uses];
      for (let first = 0; first < entries.length; first += maxRows)
        await write(() => run(touch, JSON.stringify(entries.slice(first, first + maxRows))));
    },
    /** Also cancels its jobs. */
    revokeKey: (id: string, now: number) => write(() => revokeKey(backend, id, now)),
    changeKey: (id: string, { name, credits, expiresAt }: ApiKeyChange) =>
      write(function* () {
        if (name !== undefined) yield* run('UPDATE keys SET name = ? WHERE id = ?', name, id);
        if (expiresAt !== undefined) yield* run('UPDATE keys SET expires_at = ? WHERE id = ?', expiresAt, id);
        if (credits === null) yield* run('UPDATE keys SET credits = NULL, granted = NULL WHERE id = ?', id);
        else if (credits !== undefined) {
          // What was used stays part of what was granted.
          const set = 'UPDATE keys SET granted = coalesce(granted - credits, 0) + ?, credits = ? WHERE id = ?';
          yield* run(set, credits, credits, id);
        }
        yield* notifyNodes();
        return yield* keyById(id);
      }),
  };
}

function* keyById(id: string): Steps<KeyRecord | null> {
  return yield* get<KeyRecord>(`SELECT ${columns} FROM keys WHERE id = ?`, id);
}

function* revokeKey(backend: SqlBackend, id: string, now: number): Steps<KeyRecord | null> {
  yield* run('UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?', now, id);
  yield* cancelOpenJobs(backend, id, now);
  yield* backend.notifyNodes();
  return yield* keyById(id);
}

/** Revokes the keys of a member. */
export function* revokeKeysOf(backend: SqlBackend, memberId: string, now: number): Steps<void> {
  const owned = 'SELECT id FROM keys WHERE member_id = ? AND revoked_at IS NULL ORDER BY id';
  for (const { id } of yield* all<{ id: string }>(owned, memberId)) yield* revokeKey(backend, id, now);
}
