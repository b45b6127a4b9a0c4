import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeKey } from '../../../src/jobs/api-keys.js';
import type { JobRecord } from '../../../src/jobs/store/job-record.js';
import {
  batch,
  claim,
  counts,
  job,
  lastResults,
  type OpenStoreLab,
  queueJob,
  queueJobs,
  result,
  type StoreLab,
  upload,
  uuid,
  verdict,
} from './store-lab.js';

/** Tests of jobs and their results, for each store. */
export function jobsSuite(open: OpenStoreLab): void {
  let lab: StoreLab;
  beforeEach(async () => {
    lab = await open();
  });
  afterEach(() => lab.close());

  test('an owner never sees the data of another owner', async () => {
    const id = await queueJob(lab.store, 2, 'a');
    expect(await lab.store.getJob('b', id)).toBeNull();
    expect(await lab.store.cancelJob('b', id, 9)).toBeNull();
    expect(await lab.store.deleteJob('b', id)).toBeNull();
    expect((await lab.store.listJobs('b', { skip: 0, limit: 10 })).total).toBe(0);
    expect((await lab.store.getJob('a', id))?.state).toBe('queued');
  });

  test('jobs are listed newest first, by page and by state, and counted', async () => {
    for (const n of [4, 5, 6]) await queueJob(lab.store, n);
    await lab.store.cancelJob('local', uuid(5), 7);
    const ids = async (page: Parameters<typeof lab.store.listJobs>[1]): Promise<[string[], number]> => {
      const { jobs, total } = await lab.store.listJobs('local', page);
      return [jobs.map(({ id }) => id), total];
    };
    expect(await ids({ skip: 0, limit: 2 })).toEqual([[uuid(6), uuid(5)], 3]);
    expect(await ids({ skip: 2, limit: 2 })).toEqual([[uuid(4)], 3]);
    expect(await ids({ skip: 0, limit: 9, state: 'canceled' })).toEqual([[uuid(5)], 1]);
    expect(await lab.store.countJobs()).toEqual({ queued: 2, running: 0, completed: 0, failed: 0, canceled: 1 });
  });

  test('the oldest job that matches is claimed first, and each job by one of two processes', async () => {
    for (const n of [1, 2, 3, 4, 5, 6]) await queueJob(lab.store, n, n === 3 ? 'a key' : 'local');
    expect(await claim(lab.store, 'first', { owner: 'a key' })).toMatchObject({ id: uuid(3), worker: 'first' });
    expect((await claim(lab.store, 'second', { jobId: uuid(6) }))?.id).toBe(uuid(6));
    const stores = [lab.store, await lab.openAnother()];
    const claimed = await Promise.all(
      Array.from({ length: 8 }, (_, index) => claim(stores[index % 2] ?? lab.store, `w${index}`)),
    );
    expect(claimed.flatMap((found) => found?.id ?? []).sort()).toEqual([uuid(1), uuid(2), uuid(4), uuid(5)]);
  });

  test('many jobs of one owner do not delay others: the owner with the fewest running is next', async () => {
    for (const n of [1, 2, 3, 4]) await queueJob(lab.store, n, 'greedy');
    for (const [n, owner] of [[5, 'late'] as const, [6, 'later'] as const]) await queueJob(lab.store, n, owner);
    const claimed: (string | undefined)[] = [];
    for (let n = 0; n < 4; n++) claimed.push((await claim(lab.store, `w${n}`))?.id);
    expect(claimed).toEqual([uuid(1), uuid(5), uuid(6), uuid(2)]);
    // A job that only waits for mail servers does not count.
    await queueJob(lab.store, 7, 'late');
    await queueJob(lab.store, 8, 'later');
    await lab.store.saveBatch({ ...batch(uuid(6), 'w2', []), waits: { rows: 10, nextAt: 1 } });
    expect((await claim(lab.store, 'w4'))?.id).toBe(uuid(8));
  });

  test('a worker for all owners takes jobs of the command line only at the same level, or none', async () => {
    const [ours, theirs] = [await queueJob(lab.store, 1), await queueJob(lab.store, 2, 'a key')];
    expect((await claim(lab.store, 'serve', { commandLineLevel: null }))?.id).toBe(theirs);
    expect(await claim(lab.store, 'serve', { commandLineLevel: null })).toBeNull();
    expect(await claim(lab.store, 'worker', { commandLineLevel: 'smtp' })).toBeNull();
    expect((await claim(lab.store, 'worker', { commandLineLevel: 'dns' }))?.id).toBe(ours);
  });

  test('a job of a dead worker is marked as interrupted and taken over; late writes of the dead worker are refused', async () => {
    const id = await queueJob(lab.store, 1);
    const dead = await lab.openDead();
    expect(await claim(dead.store, dead.worker)).toMatchObject({ id, state: 'running' });
    expect(await dead.store.saveBatch(batch(id, dead.worker, [result(0)]))).toBe(true);
    expect(await lab.store.getJob('local', id)).toMatchObject({ processed: 1, interrupted: true });
    expect(await claim(lab.store, 'heir')).toMatchObject({ id, processed: 1, runBase: 1, interrupted: false });
    expect(await dead.store.saveBatch(batch(id, dead.worker, [result(1)]))).toBe(false);
    expect(await dead.store.finishJob(id, dead.worker, 'completed', 9)).toBe(false);
    await dead.store.releaseJob(id, dead.worker);
    expect(await lab.store.getJob('local', id)).toMatchObject({ state: 'running', worker: 'heir', processed: 1 });
    expect(await claim(lab.store, 'third')).toBeNull();
  });

  test('the jobs of a revoked key stop, and those of other keys continue', async () => {
    const { hash, record } = makeKey({ name: 'n', plan: 'p', credits: 100, expiresAt: null }, 5);
    await lab.store.addKey(record, hash);
    const { id: keyId } = record;
    const [running, queued, other] = [
      await queueJob(lab.store, 1, keyId),
      await queueJob(lab.store, 2, keyId),
      await queueJob(lab.store, 3),
    ];
    await claim(lab.store, 'w', { owner: keyId });
    await lab.store.revokeKey(keyId, 5);
    for (const id of [running, queued])
      expect(await lab.store.getJob(keyId, id)).toMatchObject({ state: 'canceled', finishedAt: 5 });
    expect(await lab.store.saveBatch(batch(running, 'w', [result(0)]))).toBe(false);
    expect(await claim(lab.store, 'v')).toMatchObject({ id: other });
  });

  test('a released job is claimed again, and a canceled one accepts no more results', async () => {
    const id = await queueJob(lab.store, 1);
    await claim(lab.store, 'w');
    await lab.store.releaseJob(id, 'w');
    expect(await lab.store.getJob('local', id)).toMatchObject({ state: 'queued', worker: null });
    await claim(lab.store, 'v');
    expect(await lab.store.cancelJob('local', id, 7)).toMatchObject({ state: 'canceled', finishedAt: 7 });
    expect(await lab.store.saveBatch(batch(id, 'v', [result(0)]))).toBe(false);
    expect(await lastResults(lab.store, id)).toEqual([]);
  });

  test('results are read as they were written, and the last one of each row counts', async () => {
    const id = await queueJob(lab.store, 1);
    await claim(lab.store, 'w');
    const waiting = result(1, { retryAt: 5_000_000_000_000, refusedAt: 4_000_000_000_000 });
    const strange = result(2, { verdict: { ...verdict, confidence: 0.1 + 0.2, did_you_mean: 'ü\u0000"@x' } });
    await lab.store.saveBatch(batch(id, 'w', [result(0), waiting, strange]));
    for (let row = 3; row < 9; row++) await lab.store.saveBatch(batch(id, 'w', [result(row)]));
    const laterResult = result(1, { verdict: { ...verdict, status: 'risky', sub_status: 'catch_all' } });
    await lab.store.saveBatch(batch(id, 'w', [laterResult]));
    const found = await lastResults(await lab.openAnother(), id);
    expect(found.sort((a, b) => a.row - b.row).slice(0, 4)).toEqual([
      result(0),
      laterResult,
      { ...strange, verdict: { ...strange.verdict, did_you_mean: expect.stringMatching(/^ü.?"@x$/s) } },
      result(3),
    ]);
    expect(await lab.store.getJob('local', id)).toMatchObject({ processed: 10, subCounts: { '': 10 } });
  });

  test('an ended job can be deleted, with its upload', async () => {
    await lab.store.addUpload(upload(uuid(1), 'local'));
    await lab.store.confirmUpload(job(uuid(2), uuid(1), 'local'), false);
    expect(await lab.store.deleteJob('local', uuid(2))).toBeNull();
    await lab.store.cancelJob('local', uuid(2), 5);
    expect(await lab.store.getUpload('local', uuid(1))).not.toBeNull();
    expect(await lab.store.deleteJob('local', uuid(2))).toMatchObject({ id: uuid(2) });
    expect(await lab.store.getUpload('local', uuid(1))).toBeNull();
    expect(await lab.store.getJob('local', uuid(2))).toBeNull();
  });

  test('only jobs that ended by themselves are told as ended', async () => {
    for (const n of [1, 2, 3]) await queueJob(lab.store, n);
    for (const n of [1, 2]) await claim(lab.store, 'w', { jobId: uuid(n) });
    await lab.store.finishJob(uuid(1), 'w', 'completed', 13);
    await lab.store.finishJob(uuid(2), 'w', 'failed', 12);
    await lab.store.cancelJob('local', uuid(3), 14);
    const ended = async (after: number) =>
      (await lab.store.jobsEndedSince(after)).map(({ id, state, finishedAt, total }) => [id, state, finishedAt, total]);
    expect(await ended(0)).toEqual([
      [uuid(2), 'failed', 12, 10],
      [uuid(1), 'completed', 13, 10],
    ]);
    expect(await ended(12)).toEqual([[uuid(1), 'completed', 13, 10]]);
  });

  test('pruning deletes ended jobs with all their data, and keeps the others', async () => {
    for (const n of [1, 2]) {
      await lab.store.addUpload(upload(uuid(n), 'local'));
      const newJob = { ...job(uuid(n + 3), uuid(n), 'local'), createdAt: 100 * n };
      await lab.store.confirmUpload(newJob, false);
    }
    await lab.store.cancelJob('local', uuid(4), 100);
    const pruned = async (owner: string | null, before: number): Promise<string[]> =>
      (await lab.store.pruneJobs(owner, before)).map(({ id }) => id);
    expect(await pruned('local', 100)).toEqual([]);
    expect(await pruned('another', 101)).toEqual([]);
    expect(await pruned(null, 101)).toEqual([uuid(4)]);
    expect(await lab.store.getUpload('local', uuid(1))).toBeNull();
    expect(await lab.store.getJob('local', uuid(5))).not.toBeNull();
  });

  test('the retention time is set, changed and read; pruning can skip an owner', async () => {
    expect(await lab.store.keepDays()).toBeUndefined();
    for (const days of [30, null, 7]) {
      await lab.store.setKeepDays(days);
      expect(await lab.store.keepDays()).toBe(days);
    }
    for (const [n, owner] of [
      [1, 'local'],
      [2, 'a'],
    ] as const)
      await lab.store.cancelJob(owner, await queueJob(lab.store, n, owner), 100);
    expect((await lab.store.pruneJobs(null, 1_000, 'local')).map(({ owner }) => owner)).toEqual(['a']);
    expect((await lab.store.listJobs(null, { skip: 0, limit: 5 })).jobs.map(({ owner }) => owner)).toEqual(['local']);
  });

  test('all old jobs are deleted, in several transactions, and no others', async () => {
    await queueJobs(lab.store, 'a', 1, 130);
    await queueJobs(lab.store, 'b', 200, 110);
    await queueJobs(lab.store, 'a', 400, 115);
    const ended = [...Array(130).keys()].map((n) => n + 1).concat([...Array(115).keys()].map((n) => n + 400));
    for (const n of ended.filter((n) => n !== 404)) await lab.store.cancelJob('a', uuid(n), n === 405 ? Date.now() : 5);
    const forgotten = await lab.store.pruneJobs('a', 1_000);
    expect(new Set(forgotten.map(({ id }) => id)).size).toBe(243);
    expect((await lab.store.listJobs(null, { skip: 0, limit: 1 })).total).toBe(112);
    // Job 404 waits for a worker, so it has not ended.
    const remaining = (await lab.store.listJobs('a', { skip: 0, limit: 10 })).jobs.map(({ id }) => id);
    expect(remaining.toSorted()).toEqual([uuid(404), uuid(405)]);
  });

  test('a completed job is not resumed', async () => {
    const id = await queueJob(lab.store, 2);
    expect(await lab.store.resumeJob('local', uuid(9))).toBeNull();
    expect(await lab.store.resumeJob('local', id)).toMatchObject({ state: 'queued' });
    await claim(lab.store, 'w');
    expect(await lab.store.finishJob(id, 'another', 'completed', 5)).toBe(false);
    expect(await lab.store.finishJob(id, 'w', 'completed', 5)).toBe(true);
    await expect(lab.store.resumeJob('local', id)).rejects.toMatchObject({ code: 'conflict' });
  });

  test('the next worker knows that the resolver was down', async () => {
    const id = await queueJob(lab.store, 1);
    await claim(lab.store, 'w');
    const unknown = { ...verdict, status: 'unknown', sub_status: 'dns_error', safe_to_send: false };
    const results = [result(0, { verdict: unknown })];
    const job = async () => (await lab.store.getJob('local', id))?.resolverDown;
    expect(await job()).toBe(false);
    await lab.store.saveBatch({ ...batch(id, 'w', results), counts: { ...counts, processed: 1, resolverDown: 1 } });
    await lab.store.releaseJob(id, 'w');
    await claim(lab.store, 'v');
    await lab.store.saveBatch({ ...batch(id, 'v', [result(1)]), counts: { ...counts, reused: 1 } });
    await lab.store.saveBatch({ ...batch(id, 'v', [result(2)]), counts: { ...counts, reused: 2 } });
    await lab.store.finishJob(id, 'v', 'completed', 5);
    expect(await job()).toBe(true);
    expect(await lab.store.getJob('local', id)).toMatchObject({ reused: 3 });
  });

  test('forgotten rows are added up, and the other options stay', async () => {
    const id = await queueJob(lab.store, 1);
    const before = await lab.store.getJob('local', id);
    const none = { valid: 0, invalid: 0, risky: 0, unknown: 0, duplicate: 0 };
    const first = { rows: 2, answered: 2, counts: { ...none, valid: 1, duplicate: 1 }, subCounts: { not_probed: 1 } };
    await lab.store.addForgotten(id, first);
    await lab.store.addForgotten(id, { ...first, rows: 1, answered: 0, counts: none, subCounts: {} });
    expect(before?.forgotten.rows).toBe(0);
    expect(await lab.store.getJob('local', id)).toMatchObject({
      forgotten: { ...first, rows: 3 },
      options: before?.options,
    });
  });

  test('suggested spellings are deleted, and all other results stay', async () => {
    const id = await queueJob(lab.store, 1);
    await claim(lab.store, 'w');
    const suggesting = (row: number, did_you_mean: string) => ({
      ...result(row),
      verdict: { ...result(row).verdict, did_you_mean },
    });
    await lab.store.saveBatch(batch(id, 'w', [suggesting(0, 'a@gmail.com'), suggesting(1, 'b@gmail.com')]));
    await lab.store.saveBatch(batch(id, 'w', [result(2)]));
    await lab.store.forgetSuggestions(id, new Set(['a@gmail.com']));
    const results = await lastResults(lab.store, id);
    expect(results.map(({ row, verdict }) => [row, verdict.did_you_mean])).toEqual([
      [0, null],
      [1, 'b@gmail.com'],
      [2, null],
    ]);
    expect(await lab.store.fileIds()).toEqual(new Set([id, id.replace('8000', '9000')]));
  });

  test.each([
    { owner: 'local', remembered: ['hide.me@python.org'] },
    { owner: 'a key', remembered: [] },
  ])('answers kept for jobs of $owner: $remembered', async ({ owner, remembered }) => {
    const id = await queueJob(lab.store, 1, owner);
    await claim(lab.store, 'w');
    const answers = { scope: 'dns', entries: [{ key: 'hide.me@python.org', answer: verdict }] };
    for (const now of [1, 2]) await lab.store.saveBatch({ ...batch(id, 'w', []), answers, now });
    const another = await lab.openAnother();
    const found = await another.findAnswers('dns', ['hide.me@python.org', 'other@python.org']);
    expect([...found]).toEqual(remembered.map((email) => [email, { answer: verdict, checkedAt: 2 }]));
    expect((await another.findAnswers('smtp', ['hide.me@python.org'])).size).toBe(0);
    expect(await another.forgetAnswers('me@python.org')).toBe(0);
    expect(await another.pruneAnswers(2)).toBe(0);
    expect(await another.forgetAnswers('hide.me@python.org')).toBe(remembered.length);
    expect(await another.pruneAnswers(3)).toBe(0);
  });

  test('the change token changes when another process adds a job or a key, but not by reads', async () => {
    const another = await lab.openAnother();
    await vi.waitUntil(() => lab.store.changeToken() !== null, { timeout: 5_000 });
    const before = lab.store.changeToken();
    await another.listKeys();
    expect(lab.store.changeToken()).toBe(before);
    await queueJob(another, 1);
    await vi.waitUntil(() => lab.store.changeToken() !== before, { timeout: 5_000 });
  });

  test('a running job is shown with all its fields', async () => {
    const id = await queueJob(lab.store, 1);
    await claim(lab.store, 'w');
    const another = await lab.openAnother();
    const records: (JobRecord | null)[] = [];
    for (let row = 0; row < 5; row++) {
      await lab.store.saveBatch(batch(id, 'w', [result(row)]));
      records.push(await another.getJob('local', id));
    }
    expect(records.map((look) => [look?.processed, look?.valid])).toEqual([1, 2, 3, 4, 5].map((n) => [n, n]));
  });
}
