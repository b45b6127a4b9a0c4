import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Member } from '../../../src/jobs/queue/member.js';
import { workJobs } from '../../../src/jobs/queue/work-jobs.js';
import type { JobStore } from '../../../src/jobs/store/store.js';
import { Failure } from '../../../src/model/failure.js';
import { findJob, jobControl } from '../../../src/service/local/job-control.js';
import { askerOf } from '../../fakes/asker.js';
import { canonical, knownAnswer, type Lab, list, openLab } from '../../fakes/job-lab.js';

let lab: Lab;
beforeEach(async () => {
  lab = await openLab('wasm');
});
afterEach(() => lab.close());

/** Works on the jobs of the store. */
const work = (options: Partial<Parameters<typeof workJobs>[0]>): Promise<void> =>
  workJobs({
    ...{ canonical, maxOpenRows: 100, opened: lab, openAsker: async () => askerOf(knownAnswer) },
    ...options,
  });
/** The options for one job, while another process works first. */
const onlyList = (id: string) => ({
  ...{ filter: { owner: 'local', jobId: id }, readJob: () => findJob(lab.store, 'local', id) },
  member: { mayWork: () => false, queue: null, rest: async () => {} } as unknown as Member,
});

const full = new Failure('storage', 'The disk is full.');

test('a full disk is retried with growing delays, and each address is vetted once per attempt', async () => {
  const id = await lab.submit(list(20));
  const stop = new AbortController();
  const rests: number[] = [];
  const reported: unknown[] = [];
  let asked = 0;
  let isFull = true;
  const store: JobStore = {
    ...lab.store,
    saveBatch: (batch) => (isFull ? Promise.reject(full) : lab.store.saveBatch(batch)),
    finishJob: async (...job) => {
      stop.abort();
      return lab.store.finishJob(...job);
    },
  };
  await work({
    ...{ opened: { ...lab, store }, signal: stop.signal },
    openAsker: async () =>
      askerOf(async (email) => {
        asked++;
        return knownAnswer(email);
      }),
    onError: (failure) => reported.push(failure),
    sleep: async (ms) => {
      rests.push(ms);
      isFull = rests.length < 9;
    },
  });
  expect(rests).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  expect(reported).toEqual(rests.map(() => full));
  expect(asked).toBe(20 * 10);
  expect(await lab.store.getJob('local', id)).toMatchObject({ state: 'completed', processed: 20 });
});

test('without an error handler, the first failure ends the work', async () => {
  await lab.submit(list(20));
  const store: JobStore = { ...lab.store, saveBatch: () => Promise.reject(full) };
  await expect(work({ opened: { ...lab, store } })).rejects.toBe(full);
});

test('jobs that only wait for mail servers do not block other processes', async () => {
  const stop = new AbortController();
  for (let job = 0; job < 70; job++) await lab.submit(`email\ngrey${job}@x.example\n`);
  const id = await lab.submit(list(20));
  const store: JobStore = {
    ...lab.store,
    finishJob: async (...job) => {
      stop.abort();
      return lab.store.finishJob(...job);
    },
  };
  const deferred = (email: string) => ({
    ...knownAnswer(email),
    ...{ status: 'unknown', sub_status: 'greylisted', retry_at: Date.now() / 1000 + 60 },
  });
  await work({
    ...{ opened: { ...lab, store }, signal: stop.signal },
    openAsker: async () => askerOf(async (email) => (email.startsWith('grey') ? deferred(email) : knownAnswer(email))),
  });
  expect(await lab.store.getJob('local', id)).toMatchObject({ state: 'completed', processed: 20 });
  expect(await lab.store.countJobs()).toMatchObject({ completed: 1, queued: 70, running: 0 });
});

test('a store that others write to constantly is polled with pauses', async () => {
  const stop = new AbortController();
  let claims = 0;
  const store: JobStore = {
    ...lab.store,
    changeToken: () => null,
    claimJob: (...job) => {
      claims++;
      return lab.store.claimJob(...job);
    },
  };
  const working = work({ opened: { ...lab, store }, signal: stop.signal });
  for (let write = 0; write < 20; write++) await lab.store.touchKeys(new Map([['nobody', write]]));
  stop.abort();
  await working;
  expect(claims).toBeGreaterThan(0);
  expect(claims).toBeLessThan(5);
});

test('a job whose worker stopped before its turn is interrupted until it is resumed', async () => {
  const id = await lab.submit(list(20));
  const stop = new AbortController();
  const seen: boolean[] = [];
  await work({
    ...{ ...onlyList(id), signal: stop.signal },
    onJob: ({ interrupted }) => {
      seen.push(interrupted);
      stop.abort();
    },
  });
  expect(seen).toEqual([false]);
  expect(await lab.store.getJob('local', id)).toMatchObject({ state: 'queued', interrupted: true });
  expect(await lab.store.resumeJob('local', id)).toMatchObject({ state: 'queued', interrupted: false });
});

test('a job whose process died before it opened the store is interrupted', async () => {
  const id = await lab.submit(list(20));
  const openAsker = async () => askerOf(knownAnswer);
  const options = { home: lab.home, canonical, level: 'syntax', maxOpenRows: 100, openAsker } as const;
  const control = jobControl(options, async () => lab, 'local');
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)']);
  await control.assignWorker(id, child.pid as number);
  expect(await lab.store.getJob('local', id)).toMatchObject({ state: 'queued', interrupted: false });
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await lab.store.getJob('local', id)).toMatchObject({ state: 'queued', interrupted: true });
});

test('a job that two processes wait to run is not interrupted when one of them ends', async () => {
  const id = await lab.submit(list(20));
  const first = new AbortController();
  const second = new AbortController();
  const waiting = work({ ...onlyList(id), signal: first.signal });
  try {
    await work({ ...onlyList(id), signal: second.signal, onJob: () => second.abort() });
    await expect.poll(async () => (await lab.store.getJob('local', id))?.interrupted, { timeout: 5_000 }).toBe(false);
  } finally {
    first.abort();
    await waiting;
  }
});
