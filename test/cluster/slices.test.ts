import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { startFeeder } from '../../src/jobs/queue/feeder.js';
import { LockPermits } from '../../src/jobs/queue/permits.js';
import type { SharedQueue } from '../../src/jobs/queue/queue.js';
import { openRedisQueue } from '../../src/jobs/queue/redis-queue.js';
import { createRunner } from '../../src/jobs/run/runner.js';
import type { SliceRef } from '../../src/jobs/store/job-record.js';
import { openPostgres } from '../../src/jobs/store/postgres/postgres-store.js';
import { openSlices } from '../../src/jobs/store/postgres/slices.js';
import { batch, claim, job, result, type StoreLab, upload, uuid } from '../contract/store/store-lab.js';
import { askerOf } from '../fakes/asker.js';
import { canonical, knownAnswer, list } from '../fakes/job-lab.js';
import { openPostgresLab } from './postgres-lab.js';
import { redis, server } from './servers.js';
import { startTcpProxy } from './tcp-proxy.js';

let lab: StoreLab;
beforeEach(async () => {
  lab = await openPostgresLab(server);
});
afterEach(() => lab.close());

/** A queued list with this many rows. */
async function queueList(digit: number, rows: number, owner = 'local'): Promise<string> {
  const [id, uploadId] = [uuid(digit), uuid(digit).replace('8000', '9000')];
  await lab.store.addUpload(upload(uploadId, owner));
  await lab.store.confirmUpload(job(id, uploadId, owner, rows), false);
  return id;
}

/** Another process with a name, which takes slices. */
async function join(name: string) {
  const opened = await openPostgres(lab.address, {
    processInfo: { kind: 'worker', name },
    beatMs: 200,
    silentMs: 1_500,
  });
  onTestFinished(opened.store.close);
  await opened.cluster.heartbeat.announce(true);
  return opened;
}

test('the slices of a list are claimed by several workers, and the last one ends the list', async () => {
  const id = await queueList(1, 2_500);
  const claimed = await Promise.all(['a', 'b', 'c', 'd'].map((worker) => claim(lab.store, worker)));
  expect(claimed.flatMap((found) => found?.slice?.first ?? []).sort()).toEqual([0, 1_000, 2_000]);
  const [first = '', ...others] = claimed.flatMap((found) => found?.worker ?? []);
  expect(await lab.store.saveBatch(batch(id, first, [result(0)]))).toBe(true);
  for (const worker of others) await lab.store.finishJob(id, worker, 'completed', 9);
  expect(await lab.store.getJob('local', id)).toMatchObject({ state: 'running', processed: 1 });
  await lab.store.finishJob(id, first, 'completed', 9);
  expect(await lab.store.getJob('local', id)).toMatchObject({ state: 'completed', worker: null });
});

test('a canceled list takes its slices from their workers, and a resumed one has new generations', async () => {
  const id = await queueList(1, 1_500);
  const { cluster } = await join('w1');
  const before = (await openSlices(cluster.database)) ?? [];
  await claim(lab.store, 'a');
  await lab.store.cancelJob('local', id, 5);
  expect(await lab.store.saveBatch(batch(id, 'a', [result(0)]))).toBe(false);
  expect(await openSlices(cluster.database)).toEqual([]);
  await lab.store.resumeJob('local', id);
  const after = (await openSlices(cluster.database)) ?? [];
  expect(after.map(({ place }) => place)).toEqual([0, 1]);
  expect(Math.min(...after.map(({ generation }) => generation))).toBeGreaterThan(
    Math.max(...before.map(({ generation }) => generation)),
  );
});

test('waiting rows go back to their worker when they are due, and to another one if it is gone', async () => {
  const id = await queueList(1, 10);
  const [one, two] = [await join('w1'), await join('w2')];
  await claim(one.store, 'a');
  await one.store.releaseJob(id, 'a', { home: 'w1', delayMs: 300 });
  expect(await claim(one.store, 'b')).toBeNull();
  await vi.waitUntil(async () => ((await openSlices(two.cluster.database)) ?? []).length === 1, { timeout: 5_000 });
  expect(await openSlices(two.cluster.database)).toMatchObject([{ home: 'w1' }]);
  expect(await claim(two.store, 'c')).toBeNull();
  expect(await claim(one.store, 'd')).not.toBeNull();
  await one.store.releaseJob(id, 'd', { home: 'w1', delayMs: -150_000 });
  await one.store.close();
  const gone = `UPDATE mailvet.workers SET alive_until = 0 WHERE name = 'w1'`;
  await server.run(new URL(lab.address).pathname.slice(1), gone);
  expect(await claim(two.store, 'e')).not.toBeNull();
});

test.each([
  { name: 'leaves its waiting row to it', workers: ['w1', 'w2'], agoMs: 150_000, asks: 9, state: 'running' },
  { name: 'waits until it may have been restarted', workers: ['w2'], agoMs: 0, asks: 9, state: 'running' },
  { name: 'starts over if it is gone', workers: ['w2'], agoMs: 150_000, asks: 10, state: 'completed' },
])('a worker that takes over the slice of another one $name', async ({ workers, agoMs, asks, state }) => {
  const preview = await lab.uploads.preview({ path: lab.write(list(10)), filename: 'list.csv' }, 'local');
  const { id } = await lab.uploads.confirm(preview.upload_id, 'email', 'local');
  const [one, two] = [await join('w1'), await join('w2')];
  await claim(one.store, 'a');
  const retryAt = Date.now() - agoMs;
  await one.store.saveBatch(batch(id, 'a', [result(4, { retryAt, refusedAt: retryAt - 1_000, home: 'w1' })]));
  await server.run('store', 'UPDATE mailvet.slices SET lease_until = 0');
  const asked: string[] = [];
  const vet = (email: string) => {
    asked.push(email);
    return knownAnswer(email);
  };
  const runner = createRunner({
    ...{ store: two.store, files: lab.files, canonical, openAsker: async () => askerOf(vet) },
    ...{ name: 'w2', workers: () => workers },
  });
  await runner.runNext();
  expect(asked).toHaveLength(asks);
  expect(await lab.store.getJob('local', id)).toMatchObject({ state });
  const left = await server.run('store', 'SELECT home, waiting FROM mailvet.slices');
  expect(left).toEqual(state === 'running' ? [{ home: 'w1', waiting: 1 }] : []);
});

test('a refused worker leaves its rows to others; if none is left, it takes them again', async () => {
  const id = await queueList(1, 10);
  const [one, two] = [await join('w1'), await join('w2')];
  await claim(one.store, 'a');
  await one.store.releaseJob(id, 'a', { avoid: 'w1' });
  expect(await claim(one.store, 'b')).toBeNull();
  expect((await claim(two.store, 'c'))?.slice).toMatchObject({ avoid: ['w1'] });
  await two.store.releaseJob(id, 'c', { avoid: 'w2' });
  expect((await claim(one.store, 'd'))?.slice).toMatchObject({ avoid: ['w1', 'w2'] });
});

test('a list fails when three different workers failed on the same slice, not when they fell silent', async () => {
  const id = await queueList(1, 10);
  for (let silent = 0; silent < 4; silent++) await claim((await lab.openDead()).store, `silent${silent}`);
  for (const name of ['w1', 'w1', 'w2']) {
    await claim(lab.store, 'a');
    await lab.store.releaseJob(id, 'a', { ended: name });
  }
  expect(await lab.store.getJob('local', id)).toMatchObject({ state: 'queued' });
  await claim(lab.store, 'a');
  await lab.store.releaseJob(id, 'a', { ended: 'w3' });
  const failed = { state: 'failed', error: expect.stringContaining('three workers failed') };
  expect(await lab.store.getJob('local', id)).toMatchObject(failed);
});

test('one list of an owner waits behind the first slices of others only, and few slices of each are queued', async () => {
  await queueList(1, 200_000, 'a');
  await queueList(2, 3_000, 'b');
  const { cluster } = await join('w1');
  const open = (await openSlices(cluster.database)) ?? [];
  expect(open.filter(({ id }) => id === uuid(1))).toHaveLength(64);
  expect(open.filter(({ id }) => id === uuid(2)).map(({ rank }) => rank)).toEqual([1, 2, 3]);
});

const ref = (place: number, home: string | null = null) => ({
  ...{ id: uuid(1), job: 1, place, generation: place, rank: place + 1, home },
});

/** Records what a worker gets. */
function work(queue: SharedQueue, name: string, run: () => Promise<void> = async () => {}): SliceRef[] {
  const got: SliceRef[] = [];
  const stop = new AbortController();
  const working = queue.work({
    ...{ name, mayWork: () => true, onError: () => {}, signal: stop.signal },
    run: async (slice) => {
      if (slice !== null) got.push(slice);
      await run();
    },
  });
  onTestFinished(() => {
    stop.abort();
    return working;
  });
  return got;
}

test('a slice is queued once, goes to its home, and is queued again after Redis was emptied', async () => {
  redis.wipe();
  const queue = openRedisQueue(redis.address, () => {});
  onTestFinished(() => queue.close());
  await queue.add([ref(2), ref(1), ref(3, 'w:2'), ref(1)]);
  redis.wipe();
  await queue.add([ref(2), ref(1), ref(3, 'w:2'), ref(1)]);
  const [one, two] = [work(queue, 'w1'), work(queue, 'w:2')];
  await vi.waitUntil(() => one.length + two.length === 3, { timeout: 10_000 });
  expect(two.map(({ place }) => place)).toContain(3);
  expect([...one, ...two].map(({ place }) => place).sort()).toEqual([1, 2, 3]);
});

test('a canceled list leaves the queue and its workers within two seconds', async () => {
  redis.wipe();
  const { store, cluster } = await join('w1');
  const queue = openRedisQueue(redis.address, () => {});
  onTestFinished(() => queue.close());
  onTestFinished(startFeeder(cluster, queue, () => {}));
  const preview = await lab.uploads.preview({ path: lab.write(list(2_500)), filename: 'list.csv' }, 'local');
  const { id } = await lab.uploads.confirm(preview.upload_id, 'email', 'local');
  const waiting = async () => (await queue.counts(['w1'])).waiting;
  await vi.waitUntil(async () => (await waiting()) === 3, { timeout: 10_000 });
  const openAsker = async () => askerOf(() => new Promise<never>(() => {}));
  const running = createRunner({ store, files: lab.files, canonical, openAsker, name: 'w1' }).runNext();
  await vi.waitUntil(async () => (await lab.store.getJob('local', id))?.state === 'running', { timeout: 5_000 });
  const canceledAt = performance.now();
  await lab.store.cancelJob('local', id, Date.now());
  expect((await running)?.end).toBe('lost');
  await vi.waitUntil(async () => (await waiting()) === 0, { timeout: 5_000 });
  expect(performance.now() - canceledAt).toBeLessThan(2_000);
});

test('workers answer the questions of nodes, and Redis that goes and comes is reported once each', async () => {
  const notes: string[] = [];
  const queue = openRedisQueue(redis.address, (text) => void notes.push(text));
  onTestFinished(() => queue.close());
  queue.answer(10, async (question) => ({ answered: question }));
  expect(await queue.ask({ n: 1 }, 10_000)).toEqual({ answered: { n: 1 } });
  await redis.stop();
  await expect(queue.counts([])).rejects.toThrow();
  await redis.start();
  await vi.waitUntil(
    async () =>
      queue.counts([]).then(
        () => true,
        () => false,
      ),
    { timeout: 15_000, interval: 200 },
  );
  expect(notes.map((note) => /cannot be reached|answers again/.exec(note)?.[0])).toEqual([
    'cannot be reached',
    'answers again',
  ]);
  await vi.waitUntil(
    async () =>
      queue.ask({ n: 2 }, 2_000).then(
        () => true,
        () => false,
      ),
    { timeout: 20_000 },
  );
}, 60_000);

/** A process with permits, and what happened to a host that wanted one. */
function openPermits(connect: Parameters<typeof openPostgres>[0]) {
  const opening = openPostgres(connect);
  const permits = new LockPermits(async () => (await opening).cluster.database);
  onTestFinished(async () => {
    await permits.close();
    await (await opening).store.close();
  });
  const events: string[] = [];
  const user = (host: string) => ({
    onGranted: () => void events.push(`${host} granted`),
    onWithdrawn: (isLost: boolean) => {
      events.push(`${host} ${isLost ? 'lost' : 'withdrawn'}`);
      if (!isLost) permits.release(host);
    },
  });
  return { permits, events, want: (host: string) => permits.want(host, user(host)) };
}

test('two processes have a permit for a host at a time, and a released one is given to the next', async () => {
  const processes = [1, 2, 3].map(() => openPermits(lab.address));
  for (const { want } of processes) for (const host of ['192.0.2.1', '192.0.2.2']) want(host);
  const holders = (host: string) => processes.filter(({ permits }) => permits.has(host));
  await vi.waitUntil(() => holders('192.0.2.1').length === 2 && holders('192.0.2.2').length === 2, { timeout: 10_000 });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(holders('192.0.2.1')).toHaveLength(2);
  const waiting = processes.find(({ permits }) => !permits.has('192.0.2.1'));
  holders('192.0.2.1')[0]?.permits.release('192.0.2.1');
  await vi.waitUntil(() => waiting?.permits.has('192.0.2.1'), { timeout: 5_000 });
  expect(holders('192.0.2.1')).toHaveLength(2);
  // Other processes get their turn, too.
  await vi.waitUntil(() => processes.every(({ events }) => events.includes('192.0.2.2 granted')), { timeout: 15_000 });
}, 40_000);

test('a process whose database gives no answer gives its permits up', async () => {
  const proxy = await startTcpProxy({ path: server.socketPath });
  onTestFinished(() => proxy.close());
  const database = new URL(lab.address).pathname;
  const { want, events } = openPermits(`postgres://mailvet@127.0.0.1:${proxy.port}${database}`);
  want('192.0.2.1');
  await vi.waitUntil(() => events.length === 1, { timeout: 10_000 });
  const pausedAt = performance.now();
  proxy.pause('to server', 'to client');
  await vi.waitUntil(() => events.includes('192.0.2.1 lost'), { timeout: 10_000 });
  expect(performance.now() - pausedAt).toBeLessThan(8_000);
  proxy.resume();
}, 40_000);
