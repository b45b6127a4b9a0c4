import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newIdentity } from '../../../src/disk/process-identity.js';
import { hashKey, makeKey } from '../../../src/jobs/api-keys.js';
import { openSqliteStore } from '../../../src/jobs/store/sqlite/sqlite-store.js';
import type { NewJob, UploadRecord } from '../../../src/jobs/store/store.js';
import { drivers, type Lab, list, openLab } from '../../fakes/job-lab.js';

const uuid = (digit: number): string => `00000000-0000-4000-8000-00000000000${digit}`;
const upload = (id: string, owner: string, createdAt = 0): UploadRecord => ({
  id,
  owner,
  filename: 'list.csv',
  source: null,
  sourceSize: null,
  sourceChanged: null,
  columns: ['email'],
  rowCount: 1,
  rowCountExact: true,
  createdAt,
  groupId: null,
  reading: {},
});
const job = (id: string, uploadId: string, owner: string, uniqueTotal = 10): NewJob => ({
  id,
  groupId: id,
  part: 0,
  parts: 1,
  owner,
  uploadId,
  filename: 'list.csv',
  emailColumn: 'email',
  options: { level: 'dns' },
  firstRow: 0,
  total: uniqueTotal,
  uniqueTotal,
  createdAt: 1,
});
const verdict = { status: 'valid', sub_status: '', confidence: 1, safe_to_send: true, did_you_mean: null };
const counts = { processed: 0, valid: 0, invalid: 0, risky: 0, unknown: 0, duplicate: 0 };

describe.each(drivers)('store on %s', (driver) => {
  let lab: Lab;
  beforeEach(async () => {
    lab = await openLab(driver);
  });
  afterEach(() => lab.close());

  const newKey = async (credits: number | null): Promise<{ id: string; hash: string }> => {
    const { hash, record } = makeKey({ name: 'n', plan: 'team', credits, expiresAt: null }, 5);
    await lab.store.addKey(record, hash);
    return { id: record.id, hash };
  };
  const balance = async (id: string): Promise<number | null | undefined> =>
    (await lab.store.listKeys()).find((key) => key.id === id)?.credits;

  test('says that it can be written', async () => {
    await expect(lab.store.checkWritable()).resolves.toBeUndefined();
    expect(await lab.store.check()).toEqual([]);
    expect(existsSync(`${lab.files.storePath}.writable`)).toBe(false);
  });

  test('says that it cannot be written where its file went away', async () => {
    rmSync(lab.files.storePath);
    await expect(lab.store.checkWritable()).rejects.toMatchObject({ code: 'storage' });
  });

  test('thousands of reads at once leave time for everything else', async () => {
    await lab.store.addUpload(upload(uuid(1), 'local'));
    await lab.store.confirmUpload(uuid(1), [job(uuid(2), uuid(1), 'local')], false);
    let looks = 0;
    let longestMs = 0;
    let last = performance.now();
    const look = (): void => {
      looks++;
      longestMs = Math.max(longestMs, performance.now() - last);
      last = performance.now();
    };
    const timer = setInterval(look, 1);
    const from = performance.now();
    const found = await Promise.all(Array.from({ length: 3_000 }, () => lab.store.getJob('local', uuid(2))));
    clearInterval(timer);
    expect(found.every((one) => one?.id === uuid(2))).toBe(true);
    expect(looks).toBeGreaterThan(5);
    expect(longestMs).toBeLessThan((performance.now() - from) / 2);
  });

  test.each([
    { owner: 'local', remembered: 1 },
    { owner: 'a key', remembered: 0 },
  ])(
    'of jobs of $owner, $remembered verdict is remembered, and never the address itself',
    async ({ owner, remembered }) => {
      await lab.store.addUpload(upload(uuid(1), owner));
      await lab.store.confirmUpload(uuid(1), [job(uuid(2), uuid(1), owner)], false);
      await lab.store.claimJob('me', 2, 1);
      const cache = { scope: 'dns', entries: [{ email: 'hide.me@python.org', verdict }] };
      const batch = {
        jobId: uuid(2),
        worker: 'me',
        results: [],
        counts,
        subCounts: new Map(),
        cache,
        now: 1,
        leaseUntil: 2,
      };
      expect(await lab.store.saveBatch(batch)).toBe(true);
      const found = await lab.store.cached('dns', ['hide.me@python.org', 'other@python.org']);
      expect([...found.keys()]).toEqual(remembered === 1 ? ['hide.me@python.org'] : []);
      await lab.store.close();
      const files = ['', '-wal'].map((end) => `${lab.files.storePath}${end}`).filter((file) => existsSync(file));
      for (const file of files) expect(readFileSync(file).includes('hide.me')).toBe(false);
    },
  );

  test('what was written is there for another process to read', async () => {
    await lab.store.addUpload(upload(uuid(1), 'local'));
    await lab.store.confirmUpload(uuid(1), [job(uuid(2), uuid(1), 'local')], false);
    const other = await openSqliteStore(lab.files.storePath, { driver });
    expect(await other.getJob('local', uuid(2))).toMatchObject({ state: 'queued', options: { level: 'dns' } });
    expect(await other.check()).toEqual([]);
    await other.close();
  });

  test('files are for their owner alone', () => {
    expect(statSync(lab.files.storePath).mode & 0o777).toBe(0o600);
    expect(statSync(lab.home).mode & 0o777).toBe(0o700);
  });

  test('one owner never sees what is another’s', async () => {
    await lab.store.addUpload(upload(uuid(1), 'a'));
    await lab.store.confirmUpload(uuid(1), [job(uuid(2), uuid(1), 'a')], false);
    expect(await lab.store.getUpload('b', uuid(1))).toBeNull();
    expect(await lab.store.getJob('b', uuid(2))).toBeNull();
    expect(await lab.store.jobsOfGroup('b', uuid(2))).toEqual([]);
    expect(await lab.store.cancelJob('b', uuid(2), 9)).toBeNull();
    expect((await lab.store.listJobs('b', { skip: 0, limit: 10 })).total).toBe(0);
    expect((await lab.store.getJob('a', uuid(2)))?.state).toBe('queued');
  });

  test('jobs are listed newest first, by page and by state', async () => {
    for (const n of [1, 2, 3]) {
      await lab.store.addUpload(upload(uuid(n), 'local'));
      await lab.store.confirmUpload(uuid(n), [job(uuid(n + 3), uuid(n), 'local')], false);
    }
    await lab.store.cancelJob('local', uuid(5), 7);
    const ids = async (page: Parameters<typeof lab.store.listJobs>[1]): Promise<[string[], number]> => {
      const { jobs, total } = await lab.store.listJobs('local', page);
      return [jobs.map(({ id }) => id), total];
    };
    expect(await ids({ skip: 0, limit: 2 })).toEqual([[uuid(6), uuid(5)], 3]);
    expect(await ids({ skip: 2, limit: 2 })).toEqual([[uuid(4)], 3]);
    expect(await ids({ skip: 0, limit: 9, state: 'canceled' })).toEqual([[uuid(5)], 1]);
  });

  test('pruning forgets ended jobs with all they had, and keeps the others', async () => {
    for (const n of [1, 2]) {
      await lab.store.addUpload(upload(uuid(n), 'local'));
      const made = { ...job(uuid(n + 3), uuid(n), 'local'), createdAt: 100 * n };
      await lab.store.confirmUpload(uuid(n), [made], false);
    }
    await lab.store.cancelJob('local', uuid(4), 100);
    expect(await lab.store.pruneJobs('local', 100)).toEqual([]);
    expect((await lab.store.pruneJobs('local', 101)).map(({ id }) => id)).toEqual([uuid(4)]);
    expect(await lab.store.getUpload('local', uuid(1))).toBeNull();
    expect(await lab.store.getJob('local', uuid(5))).not.toBeNull();
  });

  test('text survives as it was, but for NUL', async () => {
    const filename = 'naïve "😀".csv\n\0x';
    await lab.store.addUpload({ ...upload(uuid(1), 'local'), filename });
    expect((await lab.store.getUpload('local', uuid(1)))?.filename).toBe('naïve "😀".csv\n\ufffdx');
  });

  test('a key is found by its hash until it is revoked or has expired', async () => {
    const { key, hash, record } = makeKey({ name: 'ci', plan: 'team', credits: 5, expiresAt: 1000 }, 5);
    await lab.store.addKey(record, hash);
    expect(await lab.store.findKey(hashKey(key), 999)).toMatchObject({ id: record.id, plan: 'team', credits: 5 });
    expect(await lab.store.findKey(hashKey(key), 1000)).toBeNull();
    expect(await lab.store.findKey(hashKey(`${key}x`), 10)).toBeNull();
    await lab.store.touchKeys(new Map([[record.id, 77]]));
    expect((await lab.store.listKeys())[0]?.lastUsedAt).toBe(77);
    await lab.store.revokeKey(record.id, 50);
    expect(await lab.store.findKey(hashKey(key), 60)).toBeNull();
  });

  test('the key itself is nowhere in the store', async () => {
    const { key, record } = makeKey({ name: 'ci', plan: 'p', credits: 5, expiresAt: null }, 5);
    expect(JSON.stringify(record)).not.toContain(key);
    expect(record.prefix.length).toBeLessThan(key.length / 3);
  });

  test('concurrent reservations never spend more than there is', async () => {
    const { id } = await newKey(1000);
    const tries = await Promise.allSettled(
      Array.from({ length: 60 }, () => lab.store.reserveCredits(id, 30, newIdentity(), 1)),
    );
    expect(tries.filter(({ status }) => status === 'fulfilled').length).toBe(33);
    expect(await balance(id)).toBe(10);
    expect(tries.find((tried) => tried.status === 'rejected')).toMatchObject({
      reason: { code: 'no_credits', message: 'This needs 30 credits, but the balance is 10.' },
    });
  });

  test('settling charges what was used, once', async () => {
    const { id } = await newKey(100);
    const reservation = await lab.store.reserveCredits(id, 40, newIdentity(), 1);
    await lab.store.settleCredits(reservation, 25);
    await lab.store.settleCredits(reservation, 0);
    expect(await balance(id)).toBe(75);
  });

  test('wishes of one moment are granted in their order, as far as each balance goes', async () => {
    const [poor, rich] = [await newKey(10), await newKey(100)];
    const reserve = [
      { keyId: poor.id, amount: 6 },
      { keyId: rich.id, amount: 50 },
      { keyId: poor.id, amount: 5 },
      { keyId: poor.id, amount: 4 },
      { keyId: poor.id, amount: 1 },
    ];
    const outcomes = await lab.store.moveCredits({ reserve, settle: [] }, newIdentity(), 1);
    expect(outcomes).toEqual([
      expect.any(String),
      expect.any(String),
      expect.objectContaining({
        code: 'no_credits',
        message: 'This needs 5 credits, but the balance is 4.',
      }),
      outcomes[0],
      expect.objectContaining({ message: 'This needs 1 credit, but the balance is 0.' }),
    ]);
    expect([await balance(poor.id), await balance(rich.id)]).toEqual([0, 50]);
  });

  test('a shared reservation settles part by part, and only what is left of it comes back from the dead', async () => {
    const { id: keyId } = await newKey(100);
    const dead = newIdentity().split('~').with(3, '4194305').join('~');
    const reserve = [10, 20, 30].map((amount) => ({ keyId, amount }));
    const [reservation] = await lab.store.moveCredits({ reserve, settle: [] }, dead, 1);
    const reservationId = String(reservation);
    const settle = [
      { reservationId, amount: 10, used: 10 },
      { reservationId, amount: 20, used: 5 },
    ];
    // What is given back is there to be taken in the same moment.
    const more = [{ keyId, amount: 55 }];
    expect(await lab.store.moveCredits({ reserve: more, settle }, newIdentity(), 1)).toEqual([expect.any(String)]);
    expect(await balance(keyId)).toBe(0);
    expect(await lab.store.refundAbandoned()).toBe(1);
    expect(await balance(keyId)).toBe(30);
    await lab.store.moveCredits({ reserve: [], settle: [{ reservationId, amount: 30, used: 0 }] }, newIdentity(), 1);
    expect(await balance(keyId)).toBe(30);
  });

  test('what a dead process had reserved comes back, a living one’s stays', async () => {
    const { id } = await newKey(100);
    const dead = newIdentity().split('~').with(3, '4194305').join('~');
    await lab.store.reserveCredits(id, 40, dead, 1);
    await lab.store.reserveCredits(id, 10, newIdentity(), 1);
    expect(await lab.store.refundAbandoned()).toBe(1);
    expect(await balance(id)).toBe(90);
  });

  test('a key without a limit is never charged', async () => {
    const { id } = await newKey(null);
    await lab.store.settleCredits(await lab.store.reserveCredits(id, 40, newIdentity(), 1), 40);
    expect(await balance(id)).toBeNull();
  });

  test('a job reserves its credits, is charged for what was answered, and refunded when canceled', async () => {
    const { id: owner } = await newKey(12);
    await lab.store.addUpload(upload(uuid(1), owner));
    await lab.store.addUpload(upload(uuid(2), owner));
    await lab.store.confirmUpload(uuid(1), [job(uuid(3), uuid(1), owner)], true);
    await lab.store.confirmUpload(uuid(1), [job(uuid(4), uuid(1), owner)], true);
    expect(await balance(owner)).toBe(2);
    await expect(lab.store.confirmUpload(uuid(2), [job(uuid(5), uuid(2), owner)], true)).rejects.toMatchObject({
      code: 'no_credits',
    });
    expect(await lab.store.getJob(owner, uuid(5))).toBeNull();
    await lab.store.claimJob('w', 1e15, 1);
    const results = [0, 1, 2, 3].map((row) => ({ row, verdict, duplicate: row === 3, retryAt: null, refusedAt: null }));
    const tally = { ...counts, processed: 4, valid: 3, duplicate: 1 };
    const batch = { jobId: uuid(3), worker: 'w', results, counts: tally, subCounts: new Map([['', 3]]) };
    await lab.store.saveBatch({ ...batch, cache: { scope: '', entries: [] }, now: 2, leaseUntil: 1e15 });
    await lab.store.cancelJob(owner, uuid(3), 3);
    expect(await balance(owner)).toBe(9);
    await lab.store.resumeJob(owner, uuid(3), false);
    expect(await balance(owner)).toBe(2);
  });

  test('what was never uploaded cannot be confirmed', async () => {
    await expect(lab.store.confirmUpload(uuid(9), [job(uuid(3), uuid(9), 'local')], false)).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await lab.store.getJob('local', uuid(3))).toBeNull();
  });

  test('a count of rows that was reckoned is kept as that', async () => {
    await lab.store.addUpload({ ...upload(uuid(1), 'local'), rowCount: 7, rowCountExact: false });
    expect(await lab.store.getUpload('local', uuid(1))).toMatchObject({ rowCount: 7, rowCountExact: false });
  });

  test('how a file is read is kept with its upload', async () => {
    const reading = { encoding: 'shift_jis', skipRows: 2, sample: { rows: 10, seed: 7 } };
    await lab.store.addUpload({ ...upload(uuid(1), 'local'), reading });
    expect(await lab.store.getUpload('local', uuid(1))).toMatchObject({ reading });
  });

  test('an owner that is no key pays nothing', async () => {
    await lab.store.addUpload(upload(uuid(1), 'local'));
    expect(await lab.store.confirmUpload(uuid(1), [job(uuid(2), uuid(1), 'local')], true)).toHaveLength(1);
    expect(await lab.store.cancelJob('local', uuid(2), 5)).toMatchObject({ state: 'canceled' });
  });

  test.each([
    { name: 'is not there', id: uuid(9), want: null },
    { name: 'waits', id: uuid(2), want: { state: 'queued' } },
  ])('resuming a job that $name changes nothing', async ({ id, want }) => {
    await lab.store.addUpload(upload(uuid(1), 'local'));
    await lab.store.confirmUpload(uuid(1), [job(uuid(2), uuid(1), 'local')], false);
    const resumed = await lab.store.resumeJob('local', id, false);
    expect(resumed === null ? null : { state: resumed.state }).toEqual(want);
  });

  test('a completed job is resumed only for its unknown rows, also where it has none', async () => {
    await lab.store.addUpload(upload(uuid(1), 'local'));
    await lab.store.confirmUpload(uuid(1), [job(uuid(2), uuid(1), 'local')], false);
    await lab.store.claimJob('w', 1e15, 1);
    expect(await lab.store.finishJob(uuid(2), 'another', 'completed', 5)).toBe(false);
    expect(await lab.store.finishJob(uuid(2), 'w', 'completed', 5)).toBe(true);
    await expect(lab.store.resumeJob('local', uuid(2), false)).rejects.toMatchObject({ code: 'conflict' });
    expect(await lab.store.resumeJob('local', uuid(2), true)).toMatchObject({ state: 'queued', processed: 0 });
  });

  test('counts that do not know a word lose nothing when it is asked again', async () => {
    await lab.store.addUpload(upload(uuid(1), 'local'));
    await lab.store.confirmUpload(uuid(1), [job(uuid(2), uuid(1), 'local')], false);
    await lab.store.claimJob('w', 1e15, 1);
    const unknown = { ...verdict, status: 'unknown', sub_status: 'dns_error', safe_to_send: false };
    const results = [{ row: 0, verdict: unknown, duplicate: false, retryAt: null, refusedAt: null }];
    const batch = { jobId: uuid(2), worker: 'w', results, counts: { ...counts, processed: 1, unknown: 1 } };
    const cache = { scope: '', entries: [] };
    await lab.store.saveBatch({ ...batch, subCounts: new Map([['', 3]]), cache, now: 2, leaseUntil: 1e15 });
    await lab.store.finishJob(uuid(2), 'w', 'completed', 5);
    expect(await lab.store.resumeJob('local', uuid(2), true)).toMatchObject({
      processed: 0,
      unknown: 0,
      subCounts: { '': 3 },
    });
  });

  test('several reservations share a transaction: each has its own answer', async () => {
    const { id } = await newKey(10);
    const held = await lab.store.reserveCredits(id, 8, newIdentity(), 1);
    const wishes = [5, 9, 1].map((amount) => ({ keyId: id, amount }));
    const moves = { settle: [{ reservationId: held, amount: 8, used: 4 }], reserve: wishes };
    const answers = await lab.store.moveCredits(moves, newIdentity(), 2);
    expect(answers.map((answer) => (typeof answer === 'string' ? 'taken' : answer.code))).toEqual([
      'taken',
      'no_credits',
      'taken',
    ]);
    expect(await balance(id)).toBe(0);
  });

  test('revoking a key twice keeps the first time, and one that is not there is null', async () => {
    const { id } = await newKey(10);
    expect(await lab.store.revokeKey(id, 50)).toMatchObject({ revokedAt: 50 });
    expect(await lab.store.revokeKey(id, 60)).toMatchObject({ revokedAt: 50 });
    expect(await lab.store.revokeKey('nobody', 60)).toBeNull();
  });

  test('two processes confirming one upload make one job', async () => {
    const path = lab.write(list(30));
    const { upload_id } = await lab.uploads.preview({ path, filename: 'list.csv' }, 'local');
    const confirmed = await Promise.all([1, 2, 3].map(() => lab.uploads.confirm(upload_id, 'email', 'local')));
    expect(new Set(confirmed.map(([made]) => made?.id)).size).toBe(1);
    expect((await lab.store.listJobs('local', { skip: 0, limit: 10 })).total).toBe(1);
  });
});
