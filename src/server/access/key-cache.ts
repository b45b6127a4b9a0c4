import { hash, timingSafeEqual } from 'node:crypto';
import { createBatcher } from '../../async/batcher.js';
import { systemClock } from '../../async/clock.js';
import { LruMap } from '../../async/lru-map.js';
import { publicPrefix } from '../../jobs/api-keys.js';
import type { KeyRecord } from '../../jobs/store/keys.js';
import type { JobStore } from '../../jobs/store/store.js';

export type KeyCache = ReturnType<typeof openKeyCache>;

interface CachedKey {
  digest: Buffer;
  record: KeyRecord;
  /** Expiry on the monotonic clock, so that a revoked key is soon refused. */
  freshUntil: number;
  /** The change token of the store before the lookup. */
  changeToken: string | null;
}

/** The key that a connection used last. */
interface LastKey {
  key: string;
  digest: Buffer;
  cachedKey: CachedKey | null;
}

const freshMs = 800;
const flushIntervalMs = 5_000;
/** Batch size: decoding a batch blocks the event loop. */
const maxKeysPerBatch = 32;
const keyShape = /^[\x21-\x7e]{20,200}$/;
const maxKeys = 20_000;

/** Caches valid keys for less than a second and unknown ones never, so that a new key works at once. */
export function openKeyCache(
  store: JobStore,
  onError: (error: unknown) => void,
  clock: { now(): number; elapsed(): number } = systemClock,
) {
  const { now: wallClock, elapsed } = clock;
  const cachedKeys = new LruMap<CachedKey>({ maxEntries: maxKeys });
  /** The last key of each connection, to avoid hashing it again. Comparing a client's key with its own leaks nothing. */
  const lastKeys = new WeakMap<object, LastKey>();
  let uses = new Map<string, number>();
  const find = (hashes: readonly string[]) => store.findKeys(hashes, wallClock());
  const findCached = createBatcher(find, { maxBatch: maxKeysPerBatch });
  // Unknown keys have their own batches, so that guessing cannot delay valid ones.
  const findUncached = createBatcher(find, { maxBatch: maxKeysPerBatch });

  const flushUses = async (): Promise<void> => {
    if (uses.size === 0) return;
    const pending = uses;
    uses = new Map();
    await store.touchKeys(pending).catch(onError);
  };
  const timer = setInterval(() => void flushUses(), flushIntervalMs).unref();

  const rememberKey = (key: string, connection: object): LastKey => {
    const last = lastKeys.get(connection);
    if (last?.key === key) return last;
    const next: LastKey = { key, digest: hash('sha256', key, 'buffer'), cachedKey: null };
    lastKeys.set(connection, next);
    return next;
  };
  const markUsed = (record: KeyRecord, now: number): KeyRecord => {
    uses.set(record.id, now);
    return record;
  };
  return {
    /** The record of a valid key, otherwise null. `connection` caches the key that it used last. */
    find: (key: string, connection: object) => {
      const now = wallClock();
      const last = lastKeys.get(connection);
      if (last?.key === key && last.cachedKey !== null && revalidate(last.cachedKey, store, now, elapsed())) {
        return markUsed(last.cachedKey.record, now);
      }
      if (!keyShape.test(key)) return null;
      // The prefix is public (it is listed); the rest is compared in constant time, by its hash.
      const prefix = publicPrefix(key);
      const current = rememberKey(key, connection);
      const { digest } = current;
      const cached = cachedKeys.get(prefix);
      const isCached = cached !== undefined && timingSafeEqual(cached.digest, digest);
      if (isCached && revalidate(cached, store, now, elapsed())) {
        current.cachedKey = cached;
        return markUsed(cached.record, now);
      }
      const changeToken = store.changeToken();
      const lookUp = isCached ? findCached : findUncached;
      return lookUp(digest.toString('hex')).then((record) => {
        if (record === null) {
          if (isCached) cachedKeys.delete(prefix);
          return null;
        }
        cachedKeys.set(prefix, { digest, record, changeToken, freshUntil: elapsed() + freshMs });
        return markUsed(record, now);
      });
    },
    markUsed: (record: KeyRecord) => {
      uses.set(record.id, wallClock());
    },
    /** The record as last read from the store, otherwise null. Costs at most one hash. */
    lastKnown: (key: string, connection: object) => {
      const hit = cachedKeys.get(publicPrefix(key));
      return hit !== undefined && timingSafeEqual(hit.digest, rememberKey(key, connection).digest) ? hit.record : null;
    },
    /** Reads the record from the store, with its balance. */
    refresh: async (key: KeyRecord) => (await store.getKey(key.id)) ?? key,
    /** Writes pending times of use. */
    close: async () => {
      clearInterval(timer);
      await flushUses();
    },
  };
}

/** True if the key can be used without a lookup. An unchanged store extends its freshness, which is far cheaper than a lookup. */
function revalidate(cached: CachedKey, store: JobStore, now: number, elapsed: number): boolean {
  if (now >= (cached.record.expiresAt ?? Number.POSITIVE_INFINITY)) return false;
  if (cached.freshUntil > elapsed) return true;
  if (cached.changeToken === null || store.changeToken() !== cached.changeToken) return false;
  cached.freshUntil = elapsed + freshMs;
  return true;
}
