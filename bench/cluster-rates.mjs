// Throughput, CPU and latency of a cluster with 1, 2 or 4 workers on PostgreSQL compared with the embedded store. At level smtp, scripted
// mail hosts delay each reply by 50 ms.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import {
  endedJob,
  hasVariable,
  makeEnvironment,
  parentOf,
  pollUntil,
  run,
  start,
  startServe,
  stop,
  watchProcesses,
} from './cluster-processes.mjs';
import { report } from './measure.mjs';

const latencyMs = 50;
/** Sessions per worker: few enough that four workers wait for mail hosts, not for the CPU. */
const concurrency = 4;
/** Lists are long enough that the start of the processes hardly counts. */
const sizes = { syntax: { lists: 4, rows: 50_000 }, smtp: { lists: 4, rows: 4_000 } };
const hostCount = 750;

export async function benchRates({ folder, server }) {
  const hosts = fork(join(import.meta.dirname, '../test/cluster/matrix/mail-hosts.mjs'), [
    JSON.stringify({ hosts: hostCount, latencyMs, greyMs: 0, blocked: null }),
  ]);
  const [{ smtpPort, dnsPort }] = await once(hosts, 'message');
  const flags = {
    syntax: ['--level', 'syntax'],
    smtp: [
      ...[
        '--level',
        'smtp',
        '--set',
        `smtp_port=${smtpPort}`,
        '--set',
        `resolvers=127.0.0.1:${dnsPort}`,
        '--set',
        'ai=false',
      ],
      ...[
        '--set',
        'allow_networks=127.0.0.0/8',
        '--set',
        'ehlo_name=probe.vetlab.net',
        '--set',
        `concurrency=${concurrency}`,
      ],
    ],
  };
  try {
    for (const level of ['syntax', 'smtp']) {
      const measured = {};
      for (const workers of [0, 1, 2, 4]) {
        measured[workers] = await measure({ level, workers, flags: flags[level], folder, server });
      }
      reportLevel(level, measured);
    }
  } finally {
    hosts.kill();
  }
}

function reportLevel(level, measured) {
  const line = { bench: 'cluster', unit: 'addresses/s' };
  const [embedded, one, two, four] = [0, 1, 2, 4].map((workers) => measured[workers]);
  const compare = (what, ours, peer, peerName, goal) =>
    report({
      ...line,
      what: `${level}: ${what}`,
      ours: ours.rate,
      peer: peer.rate,
      peerName,
      ratio: ours.rate / peer.rate,
      goal,
    });
  compare('one worker', one, embedded, 'embedded store', '–');
  compare('two workers', two, one, 'one worker', '–');
  compare('four workers', four, one, 'one worker', level === 'smtp' ? '≥ 2.5' : '–');
  const cost = { ...line, unit: 'µs CPU per address' };
  report({
    ...cost,
    what: `${level}: all processes, one worker`,
    ours: one.cpu,
    peer: embedded.cpu,
    peerName: 'embedded store',
    ratio: one.cpu / embedded.cpu,
    goal: '–',
  });
  report({
    ...cost,
    what: `${level}: the database only`,
    ours: one.database,
    peer: one.cpu,
    peerName: 'all processes',
    ratio: one.database / one.cpu,
    goal: '–',
  });
  for (const [name, quantile] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ]) {
    const [ours, peer] = [one, embedded].map(
      ({ latencies }) => latencies[Math.floor(quantile * (latencies.length - 1))],
    );
    report({
      ...line,
      unit: 'ms',
      what: `${level}: a single validation, ${name}`,
      ours,
      peer,
      peerName: 'embedded',
      ratio: ours / peer,
      goal: name === 'p50' ? '≤ 2' : '–',
    });
  }
}

async function measure({ level, workers, flags, folder, server }) {
  const shared = workers === 0 ? {} : { MAILVET_STORE: await server.makeStore() };
  const tag = `${level}-${workers}`;
  const environment = () => makeEnvironment(folder, { ...shared, MAILVET_BENCH: tag });
  const env = environment();
  const node = await startServe([...(workers === 0 ? [] : ['--set', 'serve.jobs=false']), ...flags], env);
  const workerProcesses = Array.from({ length: workers }, (_, n) =>
    start(['worker', '--name', `w${n + 1}`, '--set', `source_ip=127.0.0.${n + 2}`, '-q', ...flags], environment()),
  );
  const { key } = JSON.parse(await run(['keys', 'create', '--name', 'bench', '--json'], env));
  const ask = (path, body) => request(node.url + path, key, body);
  // Wait until the workers have registered. The embedded store is opened by the first request.
  if (workers > 0)
    await pollUntil(
      async () => (await server.run('store', "SELECT FROM mailvet.workers WHERE kind = 'worker'")).length === workers,
    );
  await ask('/validation/single', { email: 'good.warm@d0.vetlab.com' });
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const latencies = [];
  for (let n = 0; n < 100; n++) {
    const sentAt = performance.now();
    await ask('/validation/single', { email: `good.single.${n}@d${n * 7}.vetlab.com` });
    latencies.push(performance.now() - sentAt);
  }
  const postmaster = server.pid();
  const labelOf = (pid) => {
    if (pid === postmaster || parentOf(pid) === postmaster) return 'postgres';
    return hasVariable(pid, 'MAILVET_BENCH', tag) ? 'mailvet' : null;
  };
  const before = cpuByLabel(watchProcesses(labelOf).stop());
  const { lists, rows } = sizes[level];
  const startedAt = performance.now();
  const watch = watchProcesses(labelOf);
  const ids = await Promise.all(Array.from({ length: lists }, (_, n) => submit(node.url, key, `l${n}`, rows)));
  for (const id of ids) {
    const job = await pollUntil(async () => endedJob(await ask(`/bulk/jobs/${id}`)), 50);
    if (job.valid_count !== rows) throw new Error(`Not all addresses are valid: ${JSON.stringify(job)}`);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const after = cpuByLabel(watch.stop());
  await stop(...workerProcesses, node.child);
  const microsecondsPerAddress = (label) => ((after[label] - before[label]) / (lists * rows)) * 1e6;
  const database = workers === 0 ? 0 : microsecondsPerAddress('postgres');
  return {
    rate: (lists * rows) / seconds,
    cpu: microsecondsPerAddress('mailvet') + database,
    database,
    latencies: latencies.sort((a, b) => a - b),
  };
}

function cpuByLabel(processes) {
  const sums = { mailvet: 0, postgres: 0 };
  for (const { label, cpu } of processes) sums[label] += cpu;
  return sums;
}

async function submit(url, key, name, rows) {
  const list = Array.from({ length: rows }, (_, n) => `good.${name}.${n}@d${(n * 2) % (2 * hostCount)}.vetlab.com`);
  const form = new FormData();
  form.append('file', new Blob([`email\n${list.join('\n')}\n`]), 'list.csv');
  const { upload_id } = await request(`${url}/bulk/upload/preview`, key, form);
  return (await request(`${url}/bulk/upload/confirm`, key, { upload_id, email_column: 'email' })).id;
}

async function request(url, key, body) {
  const headers = { 'x-api-key': key };
  if (body !== undefined && !(body instanceof FormData)) headers['content-type'] = 'application/json';
  const payload = body === undefined || body instanceof FormData ? body : JSON.stringify(body);
  const response = await fetch(url, { method: body === undefined ? 'GET' : 'POST', headers, body: payload });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response.json();
}
