import { afterEach, expect, test } from 'vitest';
import { makeKey } from '../../../src/jobs/api-keys.js';
import type { KeyRecord } from '../../../src/jobs/store/keys.js';
import type { JobStore } from '../../../src/jobs/store/store.js';
import { type KeyCache, openKeyCache } from '../../../src/server/access/key-cache.js';

const day = 86_400_000;
const today = Date.parse('2026-11-01T12:00:00Z');
let keys: KeyCache | null = null;
afterEach(() => keys?.close());

/** A cache with one key, and separate wall and monotonic clocks. */
function openCache(expiresAt: number | null) {
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
  const isAccepted = async (sent = key): Promise<boolean> => (await keys?.find(sent, connection)) !== null;
  return { state, isAccepted, key, record };
}

test.each([
  { name: 'stands', byMs: 0 },
  { name: 'is set back a day', byMs: -day },
  { name: 'is set forward a day', byMs: day },
])('a revoked key is refused within a second, even if the clock $name', async ({ byMs }) => {
  const { state, isAccepted } = openCache(null);
  expect(await isAccepted()).toBe(true);
  state.revoked = true;
  state.now += byMs;
  expect(await isAccepted()).toBe(true);
  expect(state.asked).toBe(1);
  state.elapsed += 1000;
  expect(await isAccepted()).toBe(false);
});

test('a key that expired by a wrong clock is valid again once the clock is right', async () => {
  const { state, isAccepted } = openCache(today + 30 * day);
  const answers: boolean[] = [];
  for (const now of [today, today + 40 * day, today, Date.parse('2100-01-01'), 0, today]) {
    state.now = now;
    answers.push(await isAccepted());
  }
  expect(answers).toEqual([true, false, true, false, true, true]);
});

test('a connection is identified by its current key, not by an earlier one', async () => {
  const { isAccepted, key, record } = openCache(null);
  const otherKeys = [`${key.slice(0, -1)}_`, `${key}_`, key.slice(0, 10).padEnd(key.length, 'x')];
  expect(await isAccepted()).toBe(true);
  for (const other of otherKeys) expect(await isAccepted(other)).toBe(false);
  expect(await isAccepted()).toBe(true);
  expect([key, ...otherKeys].map((sent) => keys?.lastKnown(sent, {}))).toEqual([record, null, null, null]);
});

test('a cached key is evicted once the store says that it is revoked', async () => {
  const { state, isAccepted, key, record } = openCache(null);
  expect(await isAccepted()).toBe(true);
  state.revoked = true;
  state.elapsed += 1000;
  expect(keys?.lastKnown(key, {})).toEqual(record);
  expect(await isAccepted()).toBe(false);
  expect(keys?.lastKnown(key, {})).toBeNull();
});
