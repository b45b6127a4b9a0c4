import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeKey } from '../../../src/jobs/api-keys.js';
import { adminOwner } from '../../../src/jobs/store/sessions.js';
import { maxDomainsPerDay, type UsageCount } from '../../../src/jobs/store/usage.js';
import { type OpenStoreLab, queueJob, reserve, type StoreLab } from './store-lab.js';

const session = (owner: string, createdAt = 1_000, lastUsedAt = createdAt) => ({
  ...{ owner, createdAt, lastUsedAt },
  userAgent: 'Browser/1',
  address: '203.0.113.7',
});
const used = (name: string, count: number, rest: Partial<UsageCount> = {}): UsageCount => ({
  ...{ day: '2026-11-15', owner: 'k1', kind: 'verdict', name, count },
  ...rest,
});

/** Tests of sessions, usage and the administrator's data, for each store. */
export function sessionsSuite(open: OpenStoreLab): void {
  let lab: StoreLab;
  beforeEach(async () => {
    lab = await open();
  });
  afterEach(() => lab.close());

  test('the first password is set once, and a new one ends every session', async () => {
    const { store } = lab;
    expect(await store.adminPasswordHash()).toBeNull();
    expect(await store.setAdminPassword('one', 1, true)).toBe(true);
    expect(await store.setAdminPassword('two', 2, true)).toBe(false);
    expect(await store.adminPasswordHash()).toBe('one');
    await store.addSession('a', session(adminOwner));
    await store.addSession('b', session('k1'));
    expect(await store.setAdminPassword('three', 3, false)).toBe(true);
    expect(await store.findSession('a')).toBeNull();
    expect(await store.findSession('b')).toBeNull();
    await store.addSession('c', session(adminOwner));
    expect(await store.changeAdminPassword('four', 4, 'one')).toBe(false);
    expect(await store.findSession('c')).not.toBeNull();
    expect(await store.changeAdminPassword('four', 4, 'three')).toBe(true);
    expect([await store.adminPasswordHash(), await store.findSession('c')]).toEqual(['four', null]);
  });

  test('a session is ended alone, with all sessions of its owner, when idle, or when old', async () => {
    const { store } = lab;
    for (const [hash, owner] of [
      ['a', 'k1'],
      ['b', 'k1'],
      ['c', 'k2'],
    ] as const)
      await store.addSession(hash, session(owner));
    await store.touchSession('a', 5_000);
    expect(await store.findSession('a')).toEqual(session('k1', 1_000, 5_000));
    await store.endSession('a');
    expect(await store.findSession('a')).toBeNull();
    expect(await store.endSessions('k1')).toBe(1);
    expect(await store.findSession('c')).not.toBeNull();
    await store.addSession('d', session('k2', 1, 9_000));
    await store.addSession('e', session('k2', 9_000, 9_000));
    expect(await store.expireSessions({ lastUsedAt: 2_000, createdAt: 500 })).toBe(2);
    expect(await store.findSession('e')).not.toBeNull();
  });

  test('the sessions of an owner are listed, last used first', async () => {
    const { store } = lab;
    await store.addSession('a', session('k1', 1_000));
    await store.addSession('b', session('k1', 2_000));
    await store.addSession('c', session('k2', 3_000));
    expect(await store.listSessions('k1')).toEqual([
      { ...session('k1', 2_000), hash: 'b' },
      { ...session('k1', 1_000), hash: 'a' },
    ]);
  });

  test('usage adds up by day, owner and name, and is deleted by day', async () => {
    const { store } = lab;
    await store.addUsage([used('valid ', 2), used('', 1, { kind: 'request' }), used('valid ', 1, { owner: 'k2' })]);
    await store.addUsage([used('valid ', 3), used('valid ', 7, { day: '2026-08-01' })]);
    expect(await store.readUsage('k1', '2026-08-02')).toEqual([used('', 1, { kind: 'request' }), used('valid ', 5)]);
    expect((await store.readUsage(null, '2026-01-01')).map(({ count }) => count)).toEqual([7, 1, 5, 1]);
    await store.pruneUsage('2026-11-01');
    expect((await store.readUsage(null, '2026-01-01')).map(({ count }) => count)).toEqual([1, 5, 1]);
  });

  test('only the most frequent domains of a day are kept, and they are summed over days', async () => {
    const { store } = lab;
    const many = Array.from({ length: 3 * maxDomainsPerDay }, (_, n) =>
      used(`d${n}.example`, 1 + n, { kind: 'domain' }),
    );
    await store.addUsage(many);
    await store.addUsage([used('d149.example', 10, { kind: 'domain', day: '2026-11-14' })]);
    const found = await store.readUsage('k1', '2026-11-01');
    expect(found).toHaveLength(maxDomainsPerDay);
    expect(found[0]).toEqual(used('d149.example', 160, { kind: 'domain', day: '2026-11-01' }));
  });

  test('name, expiry and credits of a key are set at any time, to a number or to no limit', async () => {
    const { store } = lab;
    const limited = makeKey({ name: 'n', plan: 'p', credits: 10, expiresAt: null }, 5);
    const free = makeKey({ name: 'f', plan: 'p', credits: null, expiresAt: null }, 5);
    for (const { record, hash } of [limited, free]) await store.addKey(record, hash);
    const { id } = limited.record;
    await reserve(store, id, 4);
    expect(await store.changeKey(id, { name: 'new', credits: 11, expiresAt: 99 })).toMatchObject({
      ...{ name: 'new', credits: 11, granted: 15, expiresAt: 99 },
    });
    expect(await store.changeKey(id, { expiresAt: null })).toMatchObject({ name: 'new', credits: 11, expiresAt: null });
    expect(await store.changeKey(free.record.id, { credits: 5 })).toMatchObject({ credits: 5, granted: 5 });
    expect(await store.changeKey(free.record.id, { credits: null })).toMatchObject({ credits: null, granted: null });
    expect(await store.changeKey('nobody', { name: 'x' })).toBeNull();
    expect(await store.getKey(id)).toMatchObject({ name: 'new' });
  });

  test('jobs of all owners are listed, found by file name, and shown with their owner', async () => {
    const { store } = lab;
    const id = await queueJob(store, 3);
    const found = await store.listJobs(null, { skip: 0, limit: 10, search: 'LIST' });
    expect(found.jobs.map((job) => job.id)).toEqual([id]);
    expect((await store.listJobs(null, { skip: 0, limit: 10, search: '%' })).total).toBe(0);
    expect(await store.ownerOf(id)).toBe(found.jobs[0]?.owner);
    expect(await store.ownerOf(found.jobs[0]?.uploadId ?? '')).toBe(found.jobs[0]?.owner);
    expect(await store.ownerOf('nothing')).toBeNull();
  });

  test.each([
    { filename: 'Äpfel.csv', search: 'äPFEL' },
    { filename: 'A\u0308pfel.csv', search: 'äpfel' },
    { filename: 'été.csv', search: 'ÉTÉ' },
    { filename: 'Список.csv', search: 'сПИСОК' },
    { filename: 'ΟΔΟΣ.csv', search: 'οδός'.normalize('NFD').replace(/\p{M}/gu, '') },
    { filename: 'οδος.csv', search: 'ΔΟΣ' },
    { filename: 'Straße.csv', search: 'STRASSE' },
  ])('a search for $search finds $filename', async ({ filename, search }) => {
    const { store } = lab;
    const [other, id] = [await queueJob(store, 1), await queueJob(store, 2, 'local', filename)];
    const found = await store.listJobs('local', { skip: 0, limit: 10, search });
    expect(found).toMatchObject({ jobs: [{ id, filename }], total: 1 });
    expect((await store.listJobs('local', { skip: 0, limit: 10, search: 'list' })).jobs).toMatchObject([{ id: other }]);
  });

  test('a search by letters beyond ASCII has pages', async () => {
    const { store } = lab;
    const ids: string[] = [];
    for (const digit of [1, 2, 3, 4, 5]) ids.unshift(await queueJob(store, digit, 'local', `Ärzte ${digit}.csv`));
    for (const skip of [0, 2, 4]) {
      const page = await store.listJobs('local', { skip, limit: 2, search: 'ärzte' });
      expect(page.jobs.map(({ id }) => id)).toEqual(ids.slice(skip, skip + 2));
      expect(page.total).toBe(5);
    }
  });
}
