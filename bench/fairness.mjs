// What a well-behaved caller feels while others abuse the service: npm run build, then node bench/fairness.mjs [name…]
// Each abuse comes from a process of its own; the well-behaved key asks for one address at a time. All traffic stays on loopback.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Agent, FormData } from 'undici';
import { report } from './measure.mjs';

const binary = fileURLToPath(new URL('../bin/mailvet.js', import.meta.url));
const windowMs = Number(process.env.FAIRNESS_MS ?? 6_000);
const rows = 100_000;

/** What others do meanwhile. Each gets the origin and a key of its own, begins, and gives a function that ends it. */
const abuses = {
  'pipelined readiness checks': ({ port }) => flood(port, 8, 'GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n'),
  'pipelined job lists': ({ port, key }) =>
    flood(port, 8, `GET /api/v1/bulk/jobs HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\n\r\n`),
  'pipelined singles': ({ port, key }) =>
    flood(port, 8, `GET /api/v1/validation/single?email=a@python.org HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\n\r\n`),
  'bulk requests of 1,000': (at) => repeat(8, () => bulk(at, (index) => `user${index}@example-${index}.org`)),
  'bulk requests of one address 1,000 times': (at) => repeat(8, () => bulk(at, () => 'ada@python.org')),
  'jobs of 100,000 rows': (at) =>
    repeat(2, () =>
      job(
        at,
        list((index) => `u${index}@python.org`),
      ),
    ),
  'jobs of one address 100,000 times': (at) =>
    repeat(2, () =>
      job(
        at,
        list(() => 'ada@python.org'),
      ),
    ),
  'jobs of 100,000 empty cells': (at) =>
    repeat(2, () =>
      job(
        at,
        list((index) => (index === 0 ? 'a@python.org' : '')),
      ),
    ),
  'packed empty lines': (at) => repeat(2, () => preview(at, gzipSync(`email\n${'\n'.repeat(300_000_000)}`))),
  'packed comments': (at) => repeat(2, () => preview(at, gzipSync('# nothing\n'.repeat(30_000_000)))),
  'slow downloads': slowDownloads,
};

if (process.argv[2] === 'abuse') await abuse(process.argv[3], JSON.parse(process.argv[4]));
else await measure(process.argv.slice(2));

async function abuse(name, at) {
  const agent = new Agent({ connections: 64, headersTimeout: 300_000, bodyTimeout: 300_000 });
  await abuses[name]({ ...at, agent, origin: `http://127.0.0.1:${at.port}` });
  process.send('begun');
  await once(process, 'disconnect');
  process.exit(0);
}

async function measure(wanted) {
  const names = Object.keys(abuses).filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
  const home = mkdtempSync(join(tmpdir(), 'mailvet-fairness-'));
  const env = { PATH: process.env.PATH, HOME: home, MAILVET_HOME: home, MAILVET_CONFIG_DIR: join(home, 'config') };
  const [good, bad] = [await makeKey(env), await makeKey(env)];
  const server = spawn(process.execPath, [binary, 'serve', '--port', '0', '--level', 'syntax', '--json', '-q'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = await once(server.stdout, 'data');
    const port = Number(new URL(JSON.parse(line).url).port);
    await singles(port, good, windowMs / 2);
    for (const name of names) {
      const quiet = await singles(port, good, windowMs / 2);
      const others = fork(fileURLToPath(import.meta.url), ['abuse', name, JSON.stringify({ port, key: bad })]);
      await once(others, 'message');
      const busy = await singles(port, good, windowMs);
      others.disconnect();
      await once(others, 'exit');
      const most = `slowest ${busy.slowest.toFixed(0)} ms, ${memoryOf(server.pid)} MB held`;
      report({
        ...{ bench: 'fairness', what: `single, p99 beside ${name} (${most})`, ours: busy.p99, peer: quiet.p99 },
        ...{ peerName: 'quiet', unit: 'ms', ratio: busy.p99 / quiet.p99, goal: '<= 10, slowest < 1,000 ms' },
      });
      await settle(port, bad);
    }
  } finally {
    server.kill('SIGTERM');
    const stopping = performance.now();
    await once(server, 'exit');
    console.log(`fairness: stopped ${Math.round(performance.now() - stopping)} ms after SIGTERM`);
    rmSync(home, { recursive: true, force: true });
  }
}

async function makeKey(env) {
  const child = spawn(process.execPath, [binary, 'keys', 'create', '--name', 'bench', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const chunk of child.stdout) text += chunk;
  return JSON.parse(text).key;
}

/** One address at a time, on one connection, for so long. */
async function singles(port, key, ms) {
  const request = `GET /api/v1/validation/single?email=ada@python.org HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\n\r\n`;
  const socket = connect(port, '127.0.0.1');
  const times = [];
  const until = performance.now() + ms;
  while (performance.now() < until) {
    const from = performance.now();
    socket.write(request);
    const [piece] = await once(socket, 'data');
    if (!piece.subarray(9, 12).equals(Buffer.from('200'))) throw new Error(`refused: ${piece.subarray(0, 300)}`);
    times.push(performance.now() - from);
    // As somebody asks who has something else to do: what is measured is the wait, not the rate.
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  socket.destroy();
  times.sort((a, b) => a - b);
  return { p99: times[Math.floor(times.length * 0.99)], slowest: times.at(-1) };
}

/** Requests without waiting for answers, as fast as they are taken. */
function flood(port, connections, request) {
  const piece = Buffer.from(request.repeat(1_000));
  for (let index = 0; index < connections; index++) {
    const socket = connect(port, '127.0.0.1');
    const push = () => {
      while (socket.write(piece));
    };
    socket.on('connect', push).on('drain', push);
    socket.on('data', () => {}).on('error', () => {});
  }
}

function repeat(count, work) {
  const again = async () => {
    for (;;) await work().catch(() => new Promise((resolve) => setTimeout(resolve, 100)));
  };
  for (let index = 0; index < count; index++) void again();
}

async function bulk({ agent, origin, key }, email) {
  const body = JSON.stringify({ emails: Array.from({ length: 1_000 }, (_, index) => email(index)) });
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const answer = await agent.request({ origin, path: '/api/v1/validation/bulk', method: 'POST', headers, body });
  await answer.body.dump();
}

function list(email) {
  return `email,name\n${Array.from({ length: rows }, (_, index) => `${email(index)},x\n`).join('')}`;
}

async function preview({ agent, origin, key }, bytes) {
  const body = new FormData();
  body.append('file', new Blob([bytes]), 'list.csv');
  const path = '/api/v1/bulk/upload/preview';
  const answer = await agent.request({ origin, path, method: 'POST', headers: { 'x-api-key': key }, body });
  return answer.body.json();
}

async function job(at, text) {
  const { agent, origin, key } = at;
  const { upload_id } = await preview(at, text);
  const body = JSON.stringify({ upload_id, email_column: 'email' });
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const made = await agent.request({ origin, path: '/api/v1/bulk/upload/confirm', method: 'POST', headers, body });
  const { id } = await made.body.json();
  for (;;) {
    const path = `/api/v1/bulk/jobs/${id}`;
    const answer = await agent.request({ origin, path, method: 'GET', headers: { 'x-api-key': key } });
    const { status } = await answer.body.json();
    if (status !== 'queued' && status !== 'running') return id;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** 250 readers of 100,000 rows who take a little every second. */
async function slowDownloads(at) {
  const id = await job(
    at,
    list((index) => `u${index}@python.org`),
  );
  for (let index = 0; index < 250; index++) {
    const socket = connect({ port: at.port, host: '127.0.0.1', highWaterMark: 1_024 });
    socket.on('error', () => {});
    socket.write(`GET /api/v1/bulk/jobs/${id}/results HTTP/1.1\r\nhost: x\r\nx-api-key: ${at.key}\r\n\r\n`);
    socket.on('data', () => {
      socket.pause();
      setTimeout(() => socket.resume(), 1_000);
    });
  }
}

/** Cancels what the abuser left to do. */
async function settle(port, key) {
  const agent = new Agent({ connections: 1 });
  const origin = `http://127.0.0.1:${port}`;
  const headers = { 'x-api-key': key };
  const answer = await agent.request({ origin, path: '/api/v1/bulk/jobs?limit=1000', method: 'GET', headers });
  for (const { id, status } of (await answer.body.json()).jobs) {
    if (status !== 'queued' && status !== 'running') continue;
    await (await agent.request({ origin, path: `/api/v1/bulk/jobs/${id}`, method: 'DELETE', headers })).body.dump();
  }
  await agent.close();
}

function memoryOf(pid) {
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024);
}
