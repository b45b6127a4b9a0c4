import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';
import { defaultSilentMs } from '../../../src/jobs/store/postgres/heartbeat.js';
import { ask, makeKey, type Node, resultsOf, startNode, submit } from '../node.js';
import { countProcessed, type Postgres } from '../postgres.js';
import type { Redis } from '../redis.js';
import { findWrong, makeList, type Row, toCsv } from './lists.js';
import { type HostBooks, type MailHosts, startMailHosts } from './mail-hosts.js';
import { startWorker, type Worker } from './workers.js';

/** A worker is stopped for `stopSeconds`; all data of the queue is deleted when it is wiped, or killed and started again. */
type Disruption = 'kill worker' | 'kill node' | 'stop worker' | 'restart database' | 'wipe queue' | 'restart queue';

/** How large a run is. */
export interface MatrixOptions {
  /** How often. */
  disruptions: Partial<Record<Disruption, number>>;
  stopSeconds: number;
  nodes: number;
  workers: number;
  /** Over all lists. */
  rows: number;
  lists: number;
  domains: number;
  hosts: number;
  /** One host in this many refuses one of the workers. */
  blockedEvery: number;
  latencyMs: number;
  seed: number;
  withinMs: number;
  onNote?(text: string): void;
}

/** The result of a run. */
export interface MatrixReport {
  seconds: number;
  disruptions: number;
  /** Rows that are missing, duplicated, out of order or judged wrongly: the first ones, and how many. */
  wrong: string[];
  wrongRows: number;
  /** The reported cost of the jobs, the expected cost, and what the key was charged. */
  credits: { used: number; unique: number; charged: number };
  /** Single requests that were sent during the run. */
  singles: Singles & { charged: number };
  hosts: HostBooks;
  logs: string[];
}

/** Single requests: those with a wrong answer, and those whose time ran out before a worker could be asked. */
interface Singles {
  answered: number;
  right: number;
  late: number;
  wrong: string[];
  failed: number;
}

/** How long a single request waits for its mailbox: its own timeout, plus transit. */
const singleMs = 45_000;
const granted = 1_000_000;

/** Runs lists through a cluster while its parts are killed, stopped and restarted. Everything it starts ends with the test. */
export async function runMatrix(servers: Omit<Ground, 'hosts'>, options: MatrixOptions): Promise<MatrixReport> {
  const hosts = await startMailHosts({
    hosts: options.hosts,
    blockedEvery: options.blockedEvery,
    latencyMs: options.latencyMs,
    greyMs: 30_000,
  });
  onTestFinished(hosts.close);
  return runOn(options, { ...servers, hosts });
}

interface Ground {
  hosts: MailHosts;
  server: Postgres;
  redis: Redis;
}

/** Everything that runs on the store. */
interface Cluster extends Ground {
  nodes: Node[];
  workers: Worker[];
  startAnotherNode(): Promise<Node>;
}

async function runOn(options: MatrixOptions, ground: Ground): Promise<MatrixReport> {
  const from = performance.now();
  const store = await ground.server.makeStore();
  const queue = ['--set', `queue=${ground.redis.address}`];
  const startAnotherNode = (): Promise<Node> =>
    startNode(store, '--set', 'serve.jobs=false', ...ground.hosts.flags, ...queue);
  const workers = Array.from({ length: options.workers }, (_, index) =>
    startWorker(index + 1, store, [...ground.hosts.flags, ...queue]),
  );
  const nodes = await Promise.all(Array.from({ length: options.nodes }, startAnotherNode));
  await knowEachOther(ground.server, options.workers);
  const cluster = { ...ground, nodes, workers, startAnotherNode };
  const [{ key }, { key: keyOfSingles }] = [await makeKey(nodeAt(nodes, 0)), await makeKey(nodeAt(nodes, 0))];
  const lists = Array.from({ length: options.lists }, (_, n) =>
    makeList(`l${n}`, Math.ceil(options.rows / options.lists), options.domains),
  );
  const jobs: { id: string; rows: Row[] }[] = [];
  for (const [n, { rows }] of lists.entries()) {
    const id = await submit([nodeAt(nodes, n), nodeAt(nodes, n + 1)], key, toCsv(rows));
    jobs.push({ id, rows });
  }
  const singles = askSingles(cluster, keyOfSingles, options.domains);
  const disruptions = await disrupt(options, cluster, from);
  await allEnded(options, cluster, from);
  const asked = await singles.stop();
  const errors: string[] = [];
  let used = 0;
  for (const [n, { id, rows }] of jobs.entries()) {
    used += Number((await ask(nodeAt(nodes, n), key, `/bulk/jobs/${id}`)).json['credits_used']);
    errors.push(...findWrong(rows, await resultsOf(nodeAt(nodes, n), key, id)));
  }
  const report: MatrixReport = {
    seconds: Math.round((performance.now() - from) / 1000),
    disruptions,
    ...{ wrong: errors.slice(0, 10), wrongRows: errors.length },
    credits: {
      used,
      unique: lists.reduce((sum, { unique }) => sum + unique, 0),
      charged: granted - (await creditsOf(nodeAt(nodes, 0), key)),
    },
    singles: { ...asked, charged: granted - (await creditsOf(nodeAt(nodes, 0), keyOfSingles)) },
    hosts: await ground.hosts.report(),
    logs: [],
  };
  await Promise.all([...workers, ...nodes].map((each) => each.stop()));
  return { ...report, logs: [...workers, ...nodes].map((each) => each.log()) };
}

/** A worker that is refused leaves rows to those it knows: each has sent a heartbeat since the last one began to work. */
async function knowEachOther({ run }: Postgres, workers: number): Promise<void> {
  const areKnownSince = (since: number) => async () => {
    const beat = `works AND alive_until > ${since + defaultSilentMs}`;
    const [found] = await run('store', `SELECT count(*)::int AS workers FROM mailvet.workers WHERE ${beat}`);
    return found?.['workers'] === workers;
  };
  const patience = { timeout: 60_000, interval: 200 };
  await vi.waitUntil(areKnownSince(0), patience);
  const [clock] = await run('store', 'SELECT mailvet.now_ms() AS now');
  await vi.waitUntil(areKnownSince(Number(clock?.['now'])), patience);
}

/** Disruptions follow each other, spread over the progress of the lists, so that the speed of the machine does not matter. */
async function disrupt(options: MatrixOptions, cluster: Cluster, from: number): Promise<number> {
  const random = randomNumbers(options.seed);
  const plan = planDisruptions(options.disruptions, random);
  const frozen: Promise<void>[] = [];
  for (const [index, what] of plan.entries()) {
    const share = (0.9 * (index + 0.5)) / plan.length;
    let before = -1;
    let stillSince = performance.now();
    for (;;) {
      const progress = await progressOf(cluster);
      if (progress !== before) stillSince = performance.now();
      before = progress;
      // Rows that wait for greylists make no progress, but disruptions go on.
      if (progress >= share * options.rows || performance.now() - stillSince > stillMs) break;
      checkTime(options, from, `${progress} of ${options.rows} rows, before disruption ${index}`);
      await sleep(100);
    }
    const seconds = Math.round((performance.now() - from) / 1000);
    options.onNote?.(`${new Date().toISOString().slice(11, 19)}, ${seconds} s: ${what} at ${before} rows`);
    await applyDisruption(what, cluster, random, options, frozen);
    await sleep(300);
  }
  await Promise.all(frozen);
  return plan.length;
}

const stillMs = 20_000;

async function applyDisruption(
  what: string,
  cluster: Cluster,
  random: () => number,
  { stopSeconds }: MatrixOptions,
  frozen: Promise<void>[],
): Promise<void> {
  const { workers, nodes, server, redis, hosts } = cluster;
  const worker = workers[Math.floor(random() * workers.length)] as Worker;
  const place = Math.floor(random() * nodes.length);
  if (what === 'kill worker') worker.kill();
  else if (what === 'stop worker') {
    const freezing = worker.freeze(stopSeconds * 1000);
    hosts.freeze(worker.source);
    frozen.push(freezing.then(() => hosts.thaw(worker.source)));
  } else if (what === 'kill node') {
    await nodeAt(nodes, place).kill();
    nodes[place] = await cluster.startAnotherNode();
  } else if (what === 'restart database') {
    server.stop(random() < 0.5 ? 'immediate' : 'fast');
    server.start();
  } else if (what === 'restart queue') await redis.restart();
  else redis.wipe();
}

async function allEnded(options: MatrixOptions, { server }: Cluster, from: number): Promise<void> {
  for (;;) {
    const open = await server
      .run('store', `SELECT id, state FROM mailvet.jobs WHERE state IN ('queued', 'running')`)
      .catch(() => null);
    if (open?.length === 0) return;
    checkTime(options, from, `jobs are still open: ${JSON.stringify(open)}`);
    await sleep(500);
  }
}

function checkTime({ withinMs }: MatrixOptions, from: number, where: string): void {
  if (performance.now() - from > withinMs) throw new Error(`Not done in ${withinMs / 1000} s: ${where}.`);
}

async function progressOf({ server }: Cluster): Promise<number> {
  const rows = await server.run('store', countProcessed).catch(() => []);
  return Number(rows[0]?.['processed'] ?? 0);
}

/** Sends requests one after the other to random nodes, until it is stopped. */
function askSingles({ nodes }: Cluster, key: string, domains: number) {
  const books: Singles = { answered: 0, right: 0, late: 0, wrong: [], failed: 0 };
  let stopped = false;
  const run = (async () => {
    for (let n = 0; !stopped; n++) {
      const email = `good.single.${n}@d${n % domains}.vetlab.com`;
      const from = performance.now();
      const answer = await ask(nodeAt(nodes, n), key, '/validation/single', { email }).catch(() => null);
      const ms = Math.round(performance.now() - from);
      if (answer?.status !== 200) books.failed++;
      else {
        books.answered++;
        const { status, sub_status } = answer.json;
        if (status === 'valid') books.right++;
        else if (status === 'unknown' && ms >= singleMs) books.late++;
        else books.wrong.push(`${email} is ${status} (${sub_status}) after ${ms} ms`);
      }
      await sleep(200);
    }
  })();
  return {
    stop: async () => {
      stopped = true;
      await run;
      return books;
    },
  };
}

async function creditsOf(node: Node, key: string): Promise<number> {
  return Number((await ask(node, key, '/credits')).json['credits']);
}

function nodeAt(nodes: readonly Node[], index: number): Node {
  return nodes[index % nodes.length] as Node;
}

/** All disruptions, in an order that depends on the random numbers. */
function planDisruptions(counts: MatrixOptions['disruptions'], random: () => number): string[] {
  return Object.entries(counts)
    .flatMap(([what, times]) => Array.from({ length: times }, () => ({ what, at: random() })))
    .sort((a, b) => a.at - b.at)
    .map(({ what }) => what);
}

/** Numbers from 0 to 1 that repeat with their seed: mulberry32. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
