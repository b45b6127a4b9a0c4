import { afterEach, beforeEach, expect, test } from 'vitest';
import { hashKey, makeKey } from '../../../src/jobs/api-keys.js';
import {
  batch,
  claim,
  counts,
  job,
  type OpenStoreLab,
  reserve,
  result,
  type StoreLab,
  settle,
  upload,
  uuid,
} from './store-lab.js';

/** Tests of keys and credits, for each store. */
export function keysSuite(open: OpenStoreLab): void {
  let lab: StoreLab;
  beforeEach(async () => {
    lab = await open();
  });
  afterEach(() => lab.close());

  const newKey = async (credits: number | null): Promise<{ id: string; hash: string }> => {
    const { hash, record } = makeKey({ name: 'n', plan: 'team', credits, expiresAt: null }, 5);
    await lab.store.addKey(record, hash);
    return { id: record.id, hash };
  };
  const balance = async (id: string): Promise<number | null | undefined> =>
    (await lab.store.listKeys()).find((key) => key.id === id)?.credits;

  test('a key is found by its hash until it is revoked or has expired', async () => {
    const { key, hash, record } = makeKey({ name: 'ci', plan: 'team', credits: 5, expiresAt: 1000 }, 5);
    await lab.store.addKey(record, hash);
    expect(await lab.store.findKey(hashKey(key), 999)).toEqual(record);
    expect(await lab.store.findKey(hashKey(key), 1000)).toBeNull();
    expect(await lab.store.findKey(hashKey(`${key}x`), 10)).toBeNull();
    const another = await lab.openAnother();
    expect(await another.findKeys([hashKey('x'), hash], 10)).toEqual([null, record]);
    await lab.store.touchKeys(new Map([[record.id, 77]]));
    expect((await lab.store.listKeys())[0]?.lastUsedAt).toBe(77);
    await another.revokeKey(record.id, 50);
    expect(await lab.store.findKey(hashKey(key), 60)).toBeNull();
  });

  test('many keys are listed in the order of creation, and the last use of each is recorded', async () => {
    const newKeys = Array.from({ length: 410 }, (_, index) =>
      makeKey({ name: `n${index}`, plan: 'team', credits: null, expiresAt: null }, index),
    );
    await Promise.all(newKeys.map(({ record, hash }) => lab.store.addKey(record, hash)));
    await lab.store.touchKeys(new Map(newKeys.map(({ record }, index) => [record.id, 1_000 + index])));
    const keys = await lab.store.listKeys();
    expect(keys.map(({ name, lastUsedAt }) => [name, lastUsedAt])).toEqual(
      newKeys.map((_, index) => [`n${index}`, 1_000 + index]),
    );
  });

  test('revoking a key twice keeps the first time; revoking an unknown key returns null', async () => {
    const { id } = await newKey(10);
    expect(await lab.store.revokeKey(id, 50)).toMatchObject({ revokedAt: 50 });
    expect(await lab.store.revokeKey(id, 60)).toMatchObject({ revokedAt: 50 });
    expect(await lab.store.revokeKey('nobody', 60)).toBeNull();
  });

  test('revoking a key cancels its open jobs and returns their credits', async () => {
    const { id: owner } = await newKey(30);
    for (const n of [1, 2]) {
      await lab.store.addUpload(upload(uuid(n), owner));
      await lab.store.confirmUpload(job(uuid(n + 2), uuid(n), owner), true);
    }
    await claim(lab.store, 'w');
    expect(await lab.store.revokeKey(owner, 50)).toMatchObject({ revokedAt: 50, credits: 30 });
    const { jobs } = await lab.store.listJobs(owner, { skip: 0, limit: 5 });
    expect(jobs.map(({ state, finishedAt }) => [state, finishedAt])).toEqual(Array(2).fill(['canceled', 50]));
  });

  test('concurrent reservations of two processes never exceed the balance', async () => {
    const { id } = await newKey(1000);
    const stores = [lab.store, await lab.openAnother()];
    const tries = await Promise.allSettled(
      Array.from({ length: 60 }, (_, index) => reserve(stores[index % 2] ?? lab.store, id, 30)),
    );
    expect(tries.filter(({ status }) => status === 'fulfilled').length).toBe(33);
    expect(await balance(id)).toBe(10);
    expect(tries.find((tried) => tried.status === 'rejected')).toMatchObject({
      reason: { code: 'no_credits', message: 'This needs 30 credits, but the balance is 10.' },
    });
  });

  test('settling charges the used credits once', async () => {
    const { id } = await newKey(100);
    const reservation = await reserve(lab.store, id, 40);
    await settle(lab.store, reservation, 40, 25);
    await settle(lab.store, reservation, 40, 0);
    expect(await balance(id)).toBe(75);
  });

  test('the reservations of one batch are granted in order, as far as each balance allows', async () => {
    const [poor, rich] = [await newKey(10), await newKey(100)];
    const reserve = [
      { keyId: poor.id, amount: 6 },
      { keyId: rich.id, amount: 50 },
      { keyId: poor.id, amount: 5 },
      { keyId: poor.id, amount: 4 },
      { keyId: poor.id, amount: 1 },
    ];
    const { reserved: outcomes } = await lab.store.moveCredits({ reserve, settle: [] }, 1);
    expect(outcomes).toEqual([
      expect.any(String),
      expect.any(String),
      expect.objectContaining({ code: 'no_credits', message: 'This needs 5 credits, but the balance is 4.' }),
      outcomes[0],
      expect.objectContaining({ message: 'This needs 1 credit, but the balance is 0.' }),
    ]);
    expect([await balance(poor.id), await balance(rich.id)]).toEqual([0, 50]);
  });

  test('a shared reservation settles part by part; after a crash only the remainder is refunded', async () => {
    const { id: keyId } = await newKey(100);
    const dead = await lab.openDead();
    const reserve = [10, 20, 30].map((amount) => ({ keyId, amount }));
    const { reserved } = await dead.store.moveCredits({ reserve, settle: [] }, 1);
    const reservationId = String(reserved[0]);
    const settle = [
      { reservationId, amount: 10, used: 10 },
      { reservationId, amount: 20, used: 5 },
    ];
    // Refunded credits are available at once.
    const requests = [{ keyId, amount: 55 }];
    expect(await lab.store.moveCredits({ reserve: requests, settle }, 1)).toEqual({
      reserved: [expect.any(String)],
      missing: new Set(),
    });
    expect(await balance(keyId)).toBe(0);
    expect(await lab.store.refundAbandoned()).toBe(1);
    expect(await balance(keyId)).toBe(30);
    const late = [{ reservationId, amount: 30, used: 30 }];
    expect((await lab.store.moveCredits({ reserve: [], settle: late }, 1)).missing).toEqual(new Set([reservationId]));
    expect(await balance(keyId)).toBe(30);
  });

  test('the reservation of a dead process is refunded; that of a live one stays', async () => {
    const { id } = await newKey(100);
    await reserve((await lab.openDead()).store, id, 40);
    await reserve(lab.store, id, 10);
    expect(await lab.store.refundAbandoned()).toBe(1);
    expect(await balance(id)).toBe(90);
  });

  test('a key without a limit is never charged', async () => {
    const { id } = await newKey(null);
    await settle(lab.store, await reserve(lab.store, id, 40), 40, 40);
    expect(await balance(id)).toBeNull();
  });

  test('a job reserves its credits, is charged for what was answered, and refunded when canceled', async () => {
    const { id: owner } = await newKey(12);
    await lab.store.addUpload(upload(uuid(1), owner));
    await lab.store.addUpload(upload(uuid(2), owner));
    await lab.store.confirmUpload(job(uuid(3), uuid(1), owner), true);
    // An upload that is confirmed again is not charged again.
    await lab.store.confirmUpload(job(uuid(4), uuid(1), owner), true);
    expect(await balance(owner)).toBe(2);
    await expect(lab.store.confirmUpload(job(uuid(5), uuid(2), owner), true)).rejects.toMatchObject({
      code: 'no_credits',
    });
    expect(await lab.store.getJob(owner, uuid(5))).toBeNull();
    await claim(lab.store, 'w');
    const results = [0, 1, 2, 3].map((row) => result(row, { duplicate: row === 3 }));
    const savedCounts = { ...counts, processed: 4, valid: 3, duplicate: 1 };
    await lab.store.saveBatch({ ...batch(uuid(3), 'w', results), counts: savedCounts });
    await lab.store.cancelJob(owner, uuid(3), 3);
    expect(await balance(owner)).toBe(9);
    await lab.store.resumeJob(owner, uuid(3));
    expect(await balance(owner)).toBe(2);
  });

  test('a job is not charged for rows without an address, nor for suppressed ones', async () => {
    const { id: owner } = await newKey(12);
    await lab.store.addUpload(upload(uuid(1), owner));
    await lab.store.confirmUpload(job(uuid(3), uuid(1), owner), true);
    await claim(lab.store, 'w');
    const savedCounts = { ...counts, processed: 8, valid: 1 };
    await lab.store.saveBatch({ ...batch(uuid(3), 'w', [result(0)]), counts: savedCounts });
    await lab.store.cancelJob(owner, uuid(3), 3);
    expect(await balance(owner)).toBe(11);
  });

  test('an owner without a key pays nothing', async () => {
    await lab.store.addUpload(upload(uuid(1), 'local'));
    expect(await lab.store.confirmUpload(job(uuid(2), uuid(1), 'local'), true)).toMatchObject({ reserved: 10 });
    expect(await lab.store.cancelJob('local', uuid(2), 5)).toMatchObject({ state: 'canceled' });
  });
}
