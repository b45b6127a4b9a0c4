import { afterEach, expect, test } from 'vitest';
import { makeKey } from '../../../src/jobs/api-keys.js';
import type { KeyRecord } from '../../../src/jobs/store/keys.js';
import type { JobStore } from '../../../src/jobs/store/store.js';
import { type KeyCache, openKeyCache } from '../../../src/server/access/key-cache.js';

const day = 86_400_000;
const today = Date.parse('2026-11-01T12:00:00Z');
let keys: KeyCache | null = null;
afterEach(() => keys?.close());

/** A keys on one key, with the wall clock and the steady one apart. */
function world(expiresAt: number | null) {
  const { key, hash, record } = makeKey({ name: 'n', plan: 'p', credits: null, expiresAt }, today);
  const state = { now: today, elapsed: 0, revoked: false, asked: 0 };
  const isGood = (wanted: string, now: number): boolean =>
    wanted === hash && !state.revoked && now < (expiresAt ?? Number.POSITIVE_INFINITY);
  const store = {
    findKeys: async (hashes: readonly string[], now: number): Promise<(KeyRecord | null)[]> => {
      state.asked++;
      return hashes.map((wanted) => (isGood(wanted, now) ? record : null));
    },
    touchKeys: async () => {},
    changeToken: () => null,
  } as unknown as JobStore;
  keys = openKeyCache(store, () => {}, { now: () => state.now, elapsed: () => state.elapsed });
  const connection = {};
  const good = async (sent = key): Promise<boolean> => (await keys?.find(sent, connection)) !== null;
  return { state, good, key, record };
}

test.each([
  { name: 'stands', byMs: 0 },
  { name: 'is set back a day', byMs: -day },
  { name: 'is set forward a day', byMs: day },
])('a revoked key is refused within a second, where the clock $name', async ({ byMs }) => {
  const { state, good } = world(null);
  expect(await good()).toBe(true);
  state.revoked = true;
  state.now += byMs;
  expect(await good()).toBe(true);
  expect(state.asked).toBe(1);
  state.elapsed += 1000;
  expect(await good()).toBe(false);
});

test('a key that expired by a clock that was wrong is good again once the clock is right', async () => {
  const { state, good } = world(today + 30 * day);
  const answers: boolean[] = [];
  for (const now of [today, today + 40 * day, today, Date.parse('2100-01-01'), 0, today]) {
    state.now = now;
    answers.push(await good());
  }
  expect(answers).toEqual([true, false, true, false, true, true]);
});

test('a connection is known by the key that it sends now, not by one before', async () => {
  const { good, key, record } = world(null);
  const others = [`${key.slice(0, -1)}_`, `${key}_`, key.slice(0, 10).padEnd(key.length, 'x')];
  expect(await good()).toBe(true);
  for (const other of others) expect(await good(other)).toBe(false);
  expect(await good()).toBe(true);
  expect([key, ...others].map((sent) => keys?.lastKnown(sent, {}))).toEqual([record, null, null, null]);
});

test('a cached key is evicted once the store says that it is revoked', async () => {
  const { state, good, key, record } = world(null);
  expect(await good()).toBe(true);
  state.revoked = true;
  state.elapsed += 1000;
  expect(keys?.lastKnown(key, {})).toEqual(record);
  expect(await good()).toBe(false);
  expect(keys?.lastKnown(key, {})).toBeNull();
});
