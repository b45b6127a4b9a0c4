import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/async/clock.js';
import { newIdentity, retireIdentity } from '../../../src/disk/process-identity.js';
import { openJobFiles } from '../../../src/jobs/uploads/job-files.js';
import { type LocalJobs, openLocalJobs } from '../../../src/service/local/jobs.js';
import { evictExpired } from '../../../src/service/local/open-jobs.js';
import { askerOf } from '../../fakes/asker.js';
import { canonical, knownAnswer, list, makeHome } from '../../fakes/job-lab.js';

const dayMs = 86_400_000;

describe('retention', () => {
  let home: string;
  let jobs: LocalJobs;
  let asked: string[];
  let night = 0;
  const clock = { ...systemClock, now: () => Date.now() + night * dayMs };
  const open = (keepJobsMs: number | null = null): LocalJobs =>
    openLocalJobs({
      ...{ home, canonical, level: 'smtp', maxOpenRows: 100, clock, keepJobsMs },
      openAsker: async () =>
        askerOf(async (email) => {
          asked.push(email);
          const trouble = email.startsWith('dns')
            ? { status: 'unknown', sub_status: 'dns_error' }
            : { status: 'valid' };
          return { ...knownAnswer(email), ...trouble };
        }),
    });
  beforeEach(() => {
    home = makeHome();
    asked = [];
    night = 0;
    jobs = open();
  });
  afterEach(async () => {
    await jobs.close();
    rmSync(home, { recursive: true, force: true });
  });
  const confirm = async (text: string, maxAgeMs?: number): Promise<string> => {
    const path = join(home, 'list.csv');
    writeFileSync(path, text);
    const { upload_id } = await jobs.previewUpload({ path, filename: 'list.csv' });
    const job = await jobs.confirmUpload(upload_id, 'email', maxAgeMs === undefined ? {} : { maxAgeMs });
    return job.id;
  };
  const run = async (text: string, maxAgeMs?: number): Promise<string> => {
    const id = await confirm(text, maxAgeMs);
    await jobs.jobs.work(id);
    return id;
  };
  const evict = async (): Promise<void> =>
    evictExpired({ store: await jobs.store(), files: openJobFiles(home) }, 'local', 90 * dayMs, clock.now());
  const total = async (): Promise<number> => (await jobs.listJobs({ skip: 0, limit: 1 })).total ?? -1;

  test('deleting the jobs of one list leaves the verdicts that another uses', async () => {
    await run('email\na@x.example\n');
    night = 100;
    await evict();
    expect(await total()).toBe(0);
    asked = [];
    await run('email\na@x.example\nb@x.example\n', 120 * dayMs);
    expect(asked).toEqual(['b@x.example']);
  });

  test('old jobs that were never started, stopped or killed are deleted, too', async () => {
    const store = await jobs.store();
    for (let n = 0; n < 3; n++) await confirm(list(5));
    const [dead, stopped] = [newIdentity(), newIdentity()];
    await store.claimJob(dead, Date.now() + 30_000, Date.now());
    retireIdentity(dead);
    const claimed = await store.claimJob(stopped, Date.now() + 30_000, Date.now());
    await store.releaseJob(claimed?.id ?? '', stopped);
    night = 100;
    expect(await total()).toBe(3);
    await jobs.close();
    jobs = open(90 * dayMs);
    const last = await run(list(5));
    expect((await jobs.listJobs({ skip: 0, limit: 9 })).jobs.map(({ id }) => id)).toEqual([last]);
    for (const folder of ['emails', 'uploads']) expect(readdirSync(join(home, folder))).toHaveLength(1);
  });

  test('the age of a job counts from its end', async () => {
    const id = await confirm(list(5));
    night = 100;
    await (await jobs.store()).cancelJob('local', id, clock.now());
    night = 189;
    await evict();
    expect(await total()).toBe(1);
    night = 191;
    await evict();
    expect(await total()).toBe(0);
    for (const folder of ['emails', 'uploads']) expect(readdirSync(join(home, folder))).toEqual([]);
  });

  test('a running job of any age stays', async () => {
    const store = await jobs.store();
    await confirm(list(5));
    const worker = newIdentity();
    await store.claimJob(worker, Date.now() + 30_000, Date.now());
    night = 100;
    await evict();
    expect(await total()).toBe(1);
    retireIdentity(worker);
  });

  test.each([
    { name: 'after 90 days', kept: undefined, keepJobs: null, night: 91, left: ['local'] },
    { name: 'not before', kept: undefined, keepJobs: null, night: 89, left: ['local', 'key'] },
    { name: 'after keep_jobs, including jobs of the command line', kept: undefined, keepJobs: 10, night: 11, left: [] },
    { name: 'after the time that the administrator set', kept: 7, keepJobs: 90, night: 8, left: ['local'] },
    { name: 'never, if the administrator set that', kept: null, keepJobs: null, night: 900, left: ['local', 'key'] },
  ])('a server deletes lists $name', async ({ kept, keepJobs, night: nights, left }) => {
    await jobs.close();
    jobs = open(keepJobs === null ? null : keepJobs * dayMs);
    const store = await jobs.store();
    if (kept !== undefined) await store.setKeepDays(kept);
    await jobs.cancelJob(await confirm('email\na@x.example\n'));
    const path = join(home, 'key.csv');
    writeFileSync(path, 'email\nb@x.example\n');
    const rules = { charge: false, maxRows: 10, maxBytes: 1_000, maxUnconfirmed: { uploads: 5, bytes: 5_000 } };
    const ofKey = jobs.forOwner('key', rules);
    const { upload_id } = await ofKey.previewUpload({ path, filename: 'key.csv' });
    await ofKey.cancelJob((await ofKey.confirmUpload(upload_id, 'email')).id);
    night = nights;
    const owners = async () =>
      (await store.listJobs(null, { skip: 0, limit: 5 })).jobs.map(({ owner }) => owner).sort();
    const stop = new AbortController();
    const working = jobs.workAll(stop.signal, () => {});
    const expected = [...left].sort();
    while (JSON.stringify(await owners()) !== JSON.stringify(expected) && left.length < 2)
      await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    await working;
    expect(await owners()).toEqual(expected);
  });

  test('with keep_jobs, old jobs are deleted when a later one ends', async () => {
    await jobs.close();
    jobs = open(7 * dayMs);
    await run(list(3));
    night = 5;
    await run(list(4));
    expect(await total()).toBe(2);
    night = 10;
    await run(list(5));
    expect(await total()).toBe(2);
  });

  test('the space of deleted jobs is returned to the disk', async () => {
    await run(list(30_000));
    night = 100;
    // A writer that opens and closes the store empties its log.
    await jobs.close();
    const before = statSync(join(home, 'store.db')).size;
    jobs = open();
    await evict();
    await (await jobs.store()).pruneAnswers(clock.now());
    await (await jobs.store()).compact();
    await jobs.close();
    expect(statSync(join(home, 'store.db')).size).toBeLessThan(before / 4);
    jobs = open();
  });

  test('our own failures are never cached as verdicts', async () => {
    const text = 'email\ndns@x.example\na@x.example\n';
    await run(text);
    asked = [];
    await run(text, dayMs);
    expect(asked).toEqual(['dns@x.example']);
  });
});
