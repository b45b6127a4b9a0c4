// A long run of mixed load on the service: npm run build, then node bench/soak.mjs [--minutes N]
// Single and bulk requests, jobs, aborted uploads and requests, revoked keys and dead mail hosts, 20 minutes by default. After a quarter of
// the time, heap, memory, descriptors and timers must be flat; the exit status is 1 otherwise. All traffic stays on loopback.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Agent } from 'undici';
import { report } from './measure.mjs';
import { listOf, preview, runJob, startService } from './serve-load.mjs';

const minutesIndex = process.argv.indexOf('--minutes');
const minutes = minutesIndex === -1 ? 20 : Number(process.argv[minutesIndex + 1]);
if (!(minutes > 0)) throw new Error('--minutes needs a positive number');

/** Addresses repeat, so that every cache is full after a quarter of the run. */
const kinds = ['live', 'live', 'live', 'live', 'later', 'silent', 'dead'];
const hostsPerKind = 60;
const users = ['ada', 'ada.l', 'bob', 'cid', 'dot'];

/** How much each value may grow. `slack` absorbs the noise of small numbers. */
const limits = {
  heap: { unit: 'MB', factor: 1.1, slack: 5 },
  rss: { unit: 'MB', factor: 1.1, slack: 20 },
  descriptors: { unit: 'descriptors', factor: 1.2, slack: 20 },
  timers: { unit: 'timers', factor: 1.2, slack: 20 },
};

const folder = mkdtempSync(join(tmpdir(), 'mailvet-soak-'));
const samplesFile = join(folder, 'samples.ndjson');
const probe = new URL('soak-probe.mjs', import.meta.url);
probe.searchParams.set('out', samplesFile);
process.env.BENCH_NODE_OPTIONS = `--import=${probe}`;

const [dns, hosts] = ['dns-server.mjs', 'mail-hosts.mjs'].map((file) =>
  fork(fileURLToPath(new URL(file, import.meta.url)), ['5']),
);
const [[dnsPort], [proxyPort]] = await Promise.all([once(dns, 'message'), once(hosts, 'message')]);
const network = ['--set', `resolvers=127.0.0.1:${dnsPort}`, '--set', `proxy=socks5://127.0.0.1:${proxyPort}`];
const service = await startService(
  '-q',
  '--set',
  'ehlo_name=probe.example.org',
  '--set',
  'timeout=4',
  '--set',
  'greylist_wait=0',
  ...network,
);
const agent = new Agent({ connections: 32, headersTimeout: 300_000, bodyTimeout: 300_000 });
const counts = {};
let isOver = false;
try {
  const { origin, port } = service;
  const client = { agent, origin, port, key: await service.makeKey('--credits', '100000000') };
  const loops = [
    ...Array.from({ length: 6 }, () =>
      repeat('single', 20, () => ask(client, `validation/single?email=${nextAddress()}`)),
    ),
    repeat('bulk', 200, () => bulk(client)),
    repeat('job', 500, () => finishJob(client)),
    repeat('aborted upload', 300, () => abortUpload(client)),
    repeat('aborted request', 300, () => abortBulk(client)),
    repeat('revoked key', 10_000, () => revokeKey(client)),
  ];
  const samples = await collectSamples(minutes * 60_000);
  isOver = true;
  await Promise.race([Promise.all(loops), sleep(60_000, undefined, { ref: false })]);
  console.log(
    Object.entries(counts)
      .map(([what, count]) => `${count} × ${what}`)
      .join(', '),
  );
  if (Object.keys(counts).length < 6) {
    process.exitCode = 1;
    console.error('soak: at least one kind of load never completed.');
  }
  for (const [what, limit] of Object.entries(limits)) reportTrend(what, limit, samples);
} finally {
  isOver = true;
  await agent.destroy();
  await service.stop();
  dns.disconnect();
  hosts.disconnect();
  rmSync(folder, { recursive: true, force: true });
}

async function repeat(what, pauseMs, work) {
  while (!isOver) {
    try {
      await work();
      counts[what] = (counts[what] ?? 0) + 1;
    } catch (error) {
      if (isOver) return;
      process.exitCode = 1;
      console.error(`${what}: ${error.message}`);
      await sleep(1_000);
    }
    await sleep(pauseMs);
  }
}

function nextAddress() {
  const pick = (list) => list[Math.floor(Math.random() * list.length)];
  return `${pick(users)}@${pick(kinds)}-${Math.floor(Math.random() * hostsPerKind)}.org`;
}

async function ask({ agent, origin, key }, path, options = {}) {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const answer = await agent.request({ origin, path: `/api/v1/${path}`, method: 'GET', headers, ...options });
  const text = await answer.body.text();
  if (answer.statusCode >= 500) throw new Error(`${answer.statusCode} ${text.slice(0, 200)}`);
  return answer.statusCode;
}

function bulk(client, signal) {
  const body = JSON.stringify({ emails: Array.from({ length: 100 }, nextAddress) });
  return ask(client, 'validation/bulk', { method: 'POST', body, ...(signal && { signal }) });
}

async function finishJob(client) {
  const id = await runJob(client, listOf(nextAddress, 500));
  await ask(client, `bulk/jobs/${id}/results`);
  await ask(client, `bulk/jobs/${id}/cancel`, { method: 'POST' });
}

/** Disconnects in the middle of a file. Sometimes a whole file is uploaded and never confirmed. */
async function abortUpload(client) {
  if (Math.random() < 0.02) return void (await preview(client, listOf(nextAddress, 10)));
  const socket = connect(client.port, '127.0.0.1');
  socket.on('error', () => {});
  const head = `POST /api/v1/bulk/upload/preview HTTP/1.1\r\nhost: x\r\nx-api-key: ${client.key}\r\n`;
  const part = '--b\r\ncontent-disposition: form-data; name="file"; filename="list.csv"\r\n\r\nemail\n';
  socket.write(`${head}content-type: multipart/form-data; boundary=b\r\ncontent-length: 1000000\r\n\r\n${part}`);
  socket.write(`${nextAddress()}\n`.repeat(1_000));
  await sleep(100);
  socket.destroy();
}

async function abortBulk(client) {
  const controller = new AbortController();
  const request = bulk(client, controller.signal).catch(() => {});
  await sleep(100);
  controller.abort();
  await request;
}

async function revokeKey(client) {
  const { id, key } = JSON.parse(await service.run('keys', 'create', '--name', 'soak', '--json'));
  if ((await ask({ ...client, key }, `validation/single?email=${nextAddress()}`)) !== 200)
    throw new Error('key rejected');
  await service.run('keys', 'revoke', id);
  await sleep(1_500);
  if ((await ask({ ...client, key }, 'credits')) !== 401) throw new Error('revoked key accepted');
}

/** Two series of samples: from inside the process (heap, timers) and from outside (resident memory, descriptors). */
async function collectSamples(ms) {
  const outside = [];
  const until = performance.now() + ms;
  while (performance.now() < until) {
    await sleep(Math.min(5_000, Math.max(0, until - performance.now())));
    outside.push({ rss: service.megabytes(), descriptors: readdirSync(`/proc/${service.pid}/fd`).length });
  }
  const lines = existsSync(samplesFile) ? readFileSync(samplesFile, 'utf8').trim().split('\n') : [];
  const inside = lines.map((line) => JSON.parse(line));
  const series = (list, name) => list.map((sample) => sample[name]);
  return {
    ...{ heap: series(inside, 'heap'), timers: series(inside, 'timers') },
    ...{ rss: series(outside, 'rss'), descriptors: series(outside, 'descriptors') },
  };
}

/** Compares the last quarter of the run with the second one. */
function reportTrend(what, { unit, factor, slack }, samples) {
  const all = samples[what];
  const quarter = Math.floor(all.length / 4);
  const early = median(all.slice(quarter, 2 * quarter));
  const late = median(all.slice(-quarter));
  const allowed = early * factor + slack;
  const isFlat = quarter > 0 && late <= allowed;
  if (!isFlat) process.exitCode = 1;
  report({
    ...{ bench: 'soak', what: `${what} at the end of ${minutes} minutes`, ours: late, peer: allowed },
    ...{ peerName: 'allowed after the first quarter', unit, ratio: late / allowed, goal: '<= 1' },
  });
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
