import { hash, timingSafeEqual } from 'node:crypto';
import { createBatcher } from '../../async/batcher.js';
import { systemClock } from '../../async/clock.js';
import type { KeyRecord } from '../../jobs/store/keys.js';
import type { JobStore } from '../../jobs/store/store.js';

/** Finds callers by their API keys. */
export interface KeyCache {
  /** The record of a valid key, otherwise null. `connection` caches the key that it sent last. */
  find(key: string, connection: object): KeyRecord | null | Promise<KeyRecord | null>;
  /** The record as last read from the store, otherwise null. Costs at most one hash. */
  lastKnown(key: string, connection: object): KeyRecord | null;
  /** Reads the record from the store, with its balance. */
  look(key: KeyRecord): Promise<KeyRecord>;
  /** Writes pending times of use. */
  close(): Promise<void>;
}

interface Known {
  digest: Buffer;
  record: KeyRecord;
  /** Expiry on the monotonic clock, so that a revoked key is soon refused. */
  until: number;
  /** The change mark of the store before the lookup. */
  mark: string | null;
}

/** The key that a connection sent last. */
interface Sent {
  key: string;
  digest: Buffer;
  known: Known | null;
}

const freshMs = 800;
const noteUsesMs = 5_000;
/** Batch size: decoding a batch blocks the event loop. */
const keysAtOnce = 32;
const keyShape = /^[\x21-\x7e]{20,200}$/;
const prefixLength = 10;

/** Caches valid keys for less than a second and unknown ones never, so that a new key works at once. */
export function openKeyCache(
  store: JobStore,
  onError: (error: unknown) => void,
  clock: { now(): number; elapsed(): number } = systemClock,
): KeyCache {
  const { now: today, elapsed } = clock;
  const known = new Map<string, Known>();
  /** Hashing is the most expensive step. Comparing with a key of the same connection leaks nothing. */
  const sent = new WeakMap<object, Sent>();
  let uses = new Map<string, number>();
  const find = (hashes: readonly string[]) => store.findKeys(hashes, today());
  const renew = createBatcher(find, { maxBatch: keysAtOnce });
  // Unknown keys have their own batches, so that guessing cannot delay valid ones.
  const meet = createBatcher(find, { maxBatch: keysAtOnce });

  const noteUses = async (): Promise<void> => {
    if (uses.size === 0) return;
    const noted = uses;
    uses = new Map();
    await store.touchKeys(noted).catch(onError);
  };
  const timer = setInterval(() => void noteUses(), noteUsesMs).unref();

  const noteSent = (key: string, connection: object): Sent => {
    const last = sent.get(connection);
    if (last?.key === key) return last;
    const first: Sent = { key, digest: hash('sha256', key, 'buffer'), known: null };
    sent.set(connection, first);
    return first;
  };
  const used = (record: KeyRecord, now: number): KeyRecord => {
    uses.set(record.id, now);
    return record;
  };
  return {
    find: (key, connection) => {
      const now = today();
      const last = sent.get(connection);
      if (last?.key === key && last.known !== null && isFresh(last.known, store, now, elapsed())) {
        return used(last.known.record, now);
      }
      if (!keyShape.test(key)) return null;
      // The prefix is public (it is listed); the rest is compared in constant time, by its hash.
      const prefix = key.slice(0, prefixLength);
      const came = noteSent(key, connection);
      const { digest } = came;
      const hit = known.get(prefix);
      const isKnown = hit !== undefined && timingSafeEqual(hit.digest, digest);
      if (isKnown && isFresh(hit, store, now, elapsed())) {
        came.known = hit;
        return used(hit.record, now);
      }
      const mark = store.changeMark();
      const lookUp = isKnown ? renew : meet;
      return lookUp(digest.toString('hex')).then((record) => {
        if (record === null) {
          if (isKnown) known.delete(prefix);
          return null;
        }
        known.set(prefix, { digest, record, mark, until: elapsed() + freshMs });
        return used(record, now);
      });
    },
    lastKnown: (key, connection) => {
      const hit = known.get(key.slice(0, prefixLength));
      return hit !== undefined && timingSafeEqual(hit.digest, noteSent(key, connection).digest) ? hit.record : null;
    },
    look: async (key) => (await store.getKey(key.id)) ?? key,
    close: async () => {
      clearInterval(timer);
      await noteUses();
    },
  };
}

/** Comparing the change mark is far cheaper than reading the key again. */
function isFresh(known: Known, store: JobStore, now: number, elapsed: number): boolean {
  if (now >= (known.record.expiresAt ?? Number.POSITIVE_INFINITY)) return false;
  if (known.until > elapsed) return true;
  if (known.mark === null || store.changeMark() !== known.mark) return false;
  known.until = elapsed + freshMs;
  return true;
}
