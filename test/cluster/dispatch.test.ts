import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Requester } from '../../src/jobs/dispatch/requester.js';
import { ShardTable } from '../../src/jobs/dispatch/shard-table.js';
import type { Database } from '../../src/jobs/store/postgres/database.js';
import { openPostgres } from '../../src/jobs/store/postgres/postgres-store.js';
import type { Prober } from '../../src/net/probe/prober.js';
import { accepted, type ClusterStores, join, unknown, waitForWorkers } from './dispatch-lab.js';
import { type Postgres, startPostgres } from './postgres.js';
import { type Redis, startRedis } from './redis.js';

let server: Postgres;
let redis: Redis;
let address: string;
beforeAll(async () => {
  server = await startPostgres();
  redis = await startRedis();
});
afterAll(() => {
  server?.close();
  redis?.close();
});
beforeEach(async () => {
  address = await server.makeStore();
  await makeJob('j');
});

const job = (id: string): Requester => ({ id, priority: 'job', withinMs: null });
/** The probes of this job are kept while it is open. */
const makeJob = (id: string): Promise<unknown> =>
  query(`INSERT INTO mailvet.jobs (id, group_id, part, parts, owner, upload_id, filename, email_column, options, first_row, total,
          unique_total, created_at, state)
        VALUES ('${id}', '${id}', 1, 1, 'local', 'u', 'f.csv', 'email', '{}', 0, 1, 1, 1, 'running')`);
const emails = (count: number, hosts: number): string[] =>
  Array.from({ length: count }, (_, n) => `p${n}@h${n % hosts}.example`);
const query = async (statement: string): Promise<Record<string, unknown>[]> => server.run('store', statement);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves when this many workers see each other. */
async function waitForRegistration(workers: number): Promise<void> {
  const known = () => query('SELECT FROM mailvet.workers WHERE takes_lanes');
  await vi.waitUntil(async () => (await known()).length === workers, { timeout: 10_000 });
  await pause(1_200);
}

/** Records which worker asks which host, and whether two ever do at the same time. */
function recordProbes() {
  const activeProbes = new Map<string, Map<string, number>>();
  const asked: { worker: string; email: string }[] = [];
  let maxWorkersPerHost = 0;
  return {
    asked,
    maxWorkersPerHost: () => maxWorkersPerHost,
    proberOf:
      (worker: string): Prober['probe'] =>
      async ({ address: { domain, canonical } }) => {
        const counts = activeProbes.get(domain) ?? new Map<string, number>();
        activeProbes.set(domain, counts.set(worker, (counts.get(worker) ?? 0) + 1));
        maxWorkersPerHost = Math.max(maxWorkersPerHost, [...counts.values()].filter((count) => count > 0).length);
        asked.push({ worker, email: canonical });
        await pause(5);
        counts.set(worker, (counts.get(worker) ?? 1) - 1);
        return accepted;
      },
  };
}

describe.each(['postgres', 'redis'] as const)('shards, with notifications through %s', (kind) => {
  const stores = (): ClusterStores => ({ address, redis: kind === 'redis' ? redis.address : null });

  test('each mailbox is asked for once, and each host by one worker at a time, even if the queue is deleted', async () => {
    const recorder = recordProbes();
    const workers = await Promise.all(['w1', 'w2', 'w3'].map((name) => join(stores(), name, recorder.proberOf(name))));
    const node = await join(stores(), 'node');
    await waitForWorkers(node);
    const all = emails(1_500, 60);
    const answers = Promise.all(all.map((email) => node.ask(job('j'), email)));
    if (kind === 'redis') redis.wipe();
    else await query('DELETE FROM bullmq.job');
    expect((await answers).every(({ mailbox }) => mailbox.outcome.state === 'passed')).toBe(true);
    const asked = recorder.asked.filter(({ email }) => email.startsWith('p'));
    expect(asked.map(({ email }) => email).sort()).toEqual([...all].sort());
    expect(recorder.maxWorkersPerHost()).toBe(1);
    expect(new Set(asked.map(({ worker }) => worker)).size).toBeGreaterThan(1);
    await Promise.all(workers.map((worker) => worker.stop()));
    expect(await query('SELECT FROM mailvet.lanes WHERE holder IS NOT NULL')).toEqual([]);
  });

  test('a single request is answered within its time, and leaves nothing behind', async () => {
    await join(stores(), 'w1', recordProbes().proberOf('w1'));
    const node = await join(stores(), 'node');
    await waitForWorkers(node);
    const from = performance.now();
    const single = { id: 'r1', priority: 'single', withinMs: 5_000 } as const;
    expect((await node.ask(single, 'a@new.example')).mailbox.outcome.state).toBe('passed');
    expect(performance.now() - from).toBeLessThan(1_500);
    await vi.waitUntil(async () => (await query('SELECT FROM mailvet.probes')).length === 0, { timeout: 3_000 });
  });
});

describe('shards', () => {
  const stores = (): ClusterStores => ({ address, redis: null });

  test('another worker repeats the unanswered probes of a dead one, and only those', async () => {
    const silent = await join(stores(), 'w1', async ({ address: { canonical } }) =>
      canonical.startsWith('p') && Number(canonical.slice(1, canonical.indexOf('@'))) % 2 === 0
        ? accepted
        : canonical.startsWith('p')
          ? new Promise(() => {})
          : accepted,
    );
    const node = await join(stores(), 'node');
    await waitForWorkers(node);
    const all = emails(40, 4);
    const stop = new AbortController();
    const first = Promise.allSettled(all.map((email) => node.ask(job('j'), email, stop.signal)));
    const answered = async () => (await query('SELECT FROM mailvet.probes WHERE answer IS NOT NULL')).length;
    await vi.waitUntil(async () => (await answered()) === 20, { timeout: 10_000 });
    // The owner of the job dies, and so does the worker.
    stop.abort();
    await first;
    await silent.vanish();
    const recorder = recordProbes();
    const successor = await join(stores(), 'w2', recorder.proberOf('w2'));
    const next = await join(stores(), 'next');
    await waitForWorkers(next);
    await Promise.all(all.map((email) => next.ask(job('j'), email)));
    expect(successor.notes).toEqual([
      expect.stringMatching(
        /^Shards of mail hosts are taken over from worker w1 \(process \d+ on \S+\): no heartbeat for \d+ s\.$/,
      ),
    ]);
    const repeated = recorder.asked.filter(({ email }) => email.startsWith('p')).map(({ email }) => email);
    expect(repeated.sort()).toEqual(all.filter((_, n) => n % 2 === 1).sort());
  });

  test('an idle worker gets some shards of a busy one', async () => {
    const recorder = recordProbes();
    const sessions = 4;
    const slow = (name: string): Prober['probe'] => {
      const free = Array.from({ length: sessions }, () => Promise.resolve());
      const ask = recorder.proberOf(name);
      return async (request, signal) => {
        const turn = free.shift() ?? Promise.resolve();
        const answer = turn.then(() => pause(15)).then(() => ask(request, signal));
        free.push(answer.then(() => {}));
        return answer;
      };
    };
    await join(stores(), 'w1', slow('w1'), sessions);
    const node = await join(stores(), 'node');
    await waitForWorkers(node);
    const answers = Promise.all(emails(1_600, 80).map((email) => node.ask(job('j'), email)));
    await vi.waitUntil(() => recorder.asked.length > 20, { timeout: 10_000 });
    await join(stores(), 'w2', slow('w2'), sessions);
    await answers;
    const ofSecond = recorder.asked.filter(({ worker }) => worker === 'w2').length;
    expect(ofSecond).toBeGreaterThan(400);
    expect(recorder.maxWorkersPerHost()).toBe(1);
  }, 30_000);

  test('a worker that is busy with silent hosts of a job has room for a single request to a new host', async () => {
    const silent: Prober['probe'] = ({ address: { canonical } }) =>
      canonical.startsWith('p') ? new Promise(() => {}) : Promise.resolve(accepted);
    await join(stores(), 'w1', silent, 1);
    const node = await join(stores(), 'node');
    await waitForWorkers(node);
    const stop = new AbortController();
    const unanswered = Promise.allSettled(emails(300, 30).map((email) => node.ask(job('j'), email, stop.signal)));
    const underWay = () => query('SELECT FROM mailvet.probes WHERE lease IS NOT NULL');
    await vi.waitUntil(async () => (await underWay()).length >= 40, { timeout: 10_000 });
    for (const host of ['new', 'newer']) {
      const single = { id: `r-${host}`, priority: 'single', withinMs: 8_000 } as const;
      const from = performance.now();
      expect((await node.ask(single, `a@${host}.example`)).mailbox.outcome.state).toBe('passed');
      expect(performance.now() - from).toBeLessThan(3_000);
    }
    stop.abort();
    await unanswered;
  });

  test('a restarted job gets its answers, even if its earlier run ends later', async () => {
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    await join(stores(), 'w1', async ({ address: { canonical } }) => {
      if (canonical.startsWith('p')) await opened;
      return accepted;
    });
    const node = await join(stores(), 'node');
    await waitForWorkers(node);
    const earlier = new AbortController();
    const lost = node.ask(job('j'), 'p@h.example', earlier.signal);
    await vi.waitUntil(async () => (await query('SELECT FROM mailvet.probes WHERE lease IS NOT NULL')).length === 1);
    const retried = node.ask(job('j'), 'p@h.example');
    earlier.abort();
    await expect(lost).rejects.toThrow('aborted');
    open();
    expect((await retried).mailbox.outcome.state).toBe('passed');
  });

  test('a worker does not wait for a shard that another worker is acquiring', async () => {
    const { store, cluster } = await openPostgres(address, { processInfo: { kind: 'worker', name: 'w1' } });
    const { database } = cluster;
    let commit = (): void => {};
    const isCommitted = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let isAcquired = false;
    const slow: Database = {
      ...database,
      writeRepeatable: (work) =>
        database.writeRepeatable(async (sql) => {
          const value = await work(sql);
          isAcquired = true;
          await isCommitted;
          return value;
        }),
    };
    const first = new ShardTable(slow, { id: 'p1', name: 'w1' }, () => {}).acquire(['5'], 15_000);
    await vi.waitUntil(() => isAcquired);
    const second = new ShardTable(database, { id: 'p2', name: 'w2' }, () => {}).acquire(['5', '6'], 15_000);
    expect(await Promise.race([second, new Promise((resolve) => setTimeout(resolve, 5_000, 'waits'))])).toEqual(['6']);
    commit();
    expect(await first).toEqual(['5']);
    await store.close();
  });

  test('a worker that lost its shard writes nothing', async () => {
    let answer = (): void => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const aborted = vi.fn();
    await join(stores(), 'w1', async ({ address: { localPart } }, caller) => {
      caller?.signal?.addEventListener('abort', aborted);
      if (localPart === 'slow') await held;
      return accepted;
    });
    const node = await join(stores(), 'node');
    await waitForWorkers(node);
    const pending = node.ask(job('j'), 'slow@a.example');
    await vi.waitUntil(async () => (await query('SELECT FROM mailvet.probes WHERE lease IS NOT NULL')).length === 1);
    // As if another worker had acquired the shard of a suspended one.
    await query(`UPDATE mailvet.lanes SET holder = 'another', until = mailvet.now_ms() + 600000`);
    await query(`UPDATE mailvet.probes SET lease = 'another', holder = 'another'`);
    await query(`INSERT INTO mailvet.workers
      VALUES ('another', 'w', 'worker', 'h', 1, 'm', NULL, 1, mailvet.now_ms() + 600000, true, 1, 1, 0, false, '{}')`);
    await vi.waitUntil(() => aborted.mock.calls.length > 0, { timeout: 5_000 });
    answer();
    await pause(300);
    expect(await query('SELECT answer, lease FROM mailvet.probes')).toEqual([{ answer: null, lease: 'another' }]);
    await query(`DELETE FROM mailvet.workers WHERE id = 'another'`);
    await query(`UPDATE mailvet.lanes SET until = 0`);
    expect((await pending).mailbox.outcome.state).toBe('passed');
  });

  test('a greylisted mailbox is retried by the same worker, even if another one owns its shard by then', async () => {
    const asked: string[] = [];
    const grey =
      (name: string): Prober['probe'] =>
      async ({ address: { localPart } }) => {
        if (localPart !== 'grey') return accepted;
        asked.push(name);
        const isKnown = asked.filter((each) => each === name).length > 1;
        return isKnown ? accepted : unknown('greylisted', Date.now() / 1000 - 1);
      };
    await Promise.all(['w1', 'w2'].map((name) => join(stores(), name, grey(name))));
    const node = await join(stores(), 'node');
    await waitForWorkers(node);
    await waitForRegistration(2);
    const hosts = Array.from({ length: 8 }, (_, n) => `grey@g${n}.example`);
    for (const email of hosts) {
      asked.length = 0;
      expect((await node.ask(job('j'), email)).mailbox.retryAt).not.toBeNull();
      expect((await node.ask(job('j'), email)).mailbox.outcome.state).toBe('passed');
      expect(asked).toHaveLength(2);
      expect(new Set(asked).size).toBe(1);
    }
  });

  test('a worker that is refused leaves the host to another; if all are refused, the refusal is the answer', async () => {
    const refused: string[] = [];
    const probe =
      (name: string): Prober['probe'] =>
      async ({ address: { domain } }) => {
        if (domain !== 'all.example' && (domain !== 'picky.example' || name !== 'w1')) return accepted;
        refused.push(name);
        return unknown('antispam_system');
      };
    await Promise.all(['w1', 'w2'].map((name) => join(stores(), name, probe(name))));
    const node = await join(stores(), 'node');
    await waitForWorkers(node);
    await waitForRegistration(2);
    const picky = Array.from({ length: 200 }, (_, n) => `p${n}@picky.example`);
    const answers = await Promise.all(picky.map((email) => node.ask(job('j'), email)));
    expect(answers.every(({ mailbox }) => mailbox.outcome.state === 'passed')).toBe(true);
    const everywhere = await Promise.all([1, 2, 3, 4].map((n) => node.ask(job('j'), `p${n}@all.example`)));
    expect(everywhere.every(({ mailbox }) => mailbox.outcome.state === 'unknown')).toBe(true);
    await expect
      .poll(() => query(`SELECT worker FROM mailvet.blocks WHERE party = 'all.example' ORDER BY worker`))
      .toEqual([{ worker: 'w1' }, { worker: 'w2' }]);
    // Each worker asks once; none asks repeatedly.
    expect(refused.length).toBeLessThanOrEqual(200 + 8);
  });

  test('large providers are asked by all workers at once', async () => {
    const askedWorkers = new Set<string>();
    const probe =
      (name: string): Prober['probe'] =>
      async ({ address: { domain } }) => {
        if (domain === 'large.example') askedWorkers.add(name);
        await pause(20);
        return accepted;
      };
    await Promise.all(['w1', 'w2'].map((name) => join(stores(), name, probe(name))));
    const node = await join(stores(), 'node');
    await waitForWorkers(node);
    await waitForRegistration(2);
    await Promise.all(Array.from({ length: 600 }, (_, n) => node.ask(job('j'), `p${n}@large.example`)));
    expect(askedWorkers).toEqual(new Set(['w1', 'w2']));
  });
});
