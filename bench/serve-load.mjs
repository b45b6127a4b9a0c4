// Shared by the benchmarks of the service: a server and several kinds of clients. All traffic stays on loopback.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FormData } from 'undici';

const binary = fileURLToPath(new URL('../bin/mailvet.js', import.meta.url));
const okStatus = Buffer.from('200');

/** Starts the service with its own store. Its log is discarded; with -q, only errors are shown. */
export async function startService(...flags) {
  const home = mkdtempSync(join(tmpdir(), 'mailvet-bench-'));
  const env = { PATH: process.env.PATH, HOME: home, MAILVET_HOME: home, MAILVET_CONFIG_DIR: join(home, 'config') };
  const nodeOptions = process.env.BENCH_NODE_OPTIONS ?? '';
  const server = spawn(process.execPath, [binary, 'serve', '--port', '0', '--json', ...flags], {
    env: { ...env, NODE_OPTIONS: nodeOptions },
    stdio: ['ignore', 'pipe', flags.includes('-q') ? 'inherit' : 'ignore'],
  });
  const [line] = await once(server.stdout, 'data');
  const port = Number(new URL(JSON.parse(line).url).port);
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    pid: server.pid,
    /** Runs another command on the same data; returns its output. */
    run: (...args) => runCommand(env, args),
    makeKey: async (...keyFlags) =>
      JSON.parse(await runCommand(env, ['keys', 'create', '--name', 'bench', '--json', ...keyFlags])).key,
    /** Resident memory in MB. */
    megabytes: () => megabytesOf(server.pid, /VmRSS:\s+(\d+)/),
    /** Peak resident memory in MB. */
    peakMegabytes: () => megabytesOf(server.pid, /VmHWM:\s+(\d+)/),
    /** Stops the service; returns how many milliseconds that took. */
    stop: async () => {
      const started = performance.now();
      server.kill('SIGTERM');
      await once(server, 'exit');
      rmSync(home, { recursive: true, force: true });
      return Math.round(performance.now() - started);
    },
  };
}

function megabytesOf(pid, line) {
  return Math.round(Number(line.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024);
}

async function runCommand(env, args) {
  const child = spawn(process.execPath, [binary, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const chunk of child.stdout) text += chunk;
  return text;
}

/** A request for one address by GET. */
export function singleRequest(key, email = 'ada@python.org') {
  const path = `/api/v1/validation/single?email=${email}`;
  return `GET ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\n\r\n`;
}

/** A request for one address by POST. */
export function singleByPost(key, email = 'ada@python.org') {
  const body = JSON.stringify({ email });
  const head = `POST /api/v1/validation/single HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\n`;
  return `${head}content-length: ${body.length}\r\n\r\n${body}`;
}

/** Requests per second that are answered with 200. The client is raw, because a full one would use more CPU than the server. */
export async function load(port, request, { connections = 50, ms = 2_000 } = {}) {
  const bytes = Buffer.from(request);
  let answered = 0;
  let failed = 0;
  const sockets = Array.from({ length: connections }, () => connect(port, '127.0.0.1'));
  const started = performance.now();
  for (const socket of sockets) {
    // An answer fits into one packet and ends with a brace.
    socket.on('data', (chunk) => {
      if (chunk.subarray(9, 12).equals(okStatus) && chunk.at(-1) === 0x7d) answered++;
      else failed++;
      socket.write(bytes);
    });
    socket.on('error', () => failed++);
    socket.write(bytes);
  }
  await new Promise((resolve) => setTimeout(resolve, ms));
  const seconds = (performance.now() - started) / 1000;
  for (const socket of sockets) socket.destroy();
  if (failed > 0) throw new Error(`${failed} requests failed`);
  return answered / seconds;
}

/** Pipelines a request on each connection, as fast as the server reads, up to `times`. */
export function flood(port, connections, request, times = Number.POSITIVE_INFINITY) {
  const requestsPerWrite = 1_000;
  const chunk = Buffer.from(request.repeat(requestsPerWrite));
  return Promise.all(
    Array.from({ length: connections }, () => {
      const socket = connect(port, '127.0.0.1');
      let remaining = times;
      const writeMore = () => {
        while (remaining > 0) {
          remaining -= requestsPerWrite;
          if (!socket.write(chunk)) return;
        }
        socket.end();
      };
      socket.on('connect', writeMore).on('drain', writeMore);
      socket.on('data', () => {}).on('error', () => {});
      return new Promise((resolve) => socket.on('close', resolve));
    }),
  );
}

/** A CSV list. */
export function listOf(email, rows = 100_000) {
  return `email,name\n${Array.from({ length: rows }, (_, index) => `${email(index)},x\n`).join('')}`;
}

export async function preview({ agent, origin, key }, bytes) {
  const body = new FormData();
  body.append('file', new Blob([bytes]), 'list.csv');
  const path = '/api/v1/bulk/upload/preview';
  const answer = await agent.request({ origin, path, method: 'POST', headers: { 'x-api-key': key }, body });
  return answer.body.json();
}

/** Uploads a list and waits for its job to end; returns its id. */
export async function runJob(client, text) {
  const { agent, origin, key } = client;
  const { upload_id } = await preview(client, text);
  const body = JSON.stringify({ upload_id, email_column: 'email' });
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const confirmed = await agent.request({ origin, path: '/api/v1/bulk/upload/confirm', method: 'POST', headers, body });
  const { id } = await confirmed.body.json();
  for (;;) {
    const path = `/api/v1/bulk/jobs/${id}`;
    const answer = await agent.request({ origin, path, method: 'GET', headers: { 'x-api-key': key } });
    const { status } = await answer.body.json();
    if (status !== 'queued' && status !== 'running') return id;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Starts clients that read a job's rows slowly, a little every second; returns their sockets. */
export function readSlowly({ port, key }, id, readers) {
  return Array.from({ length: readers }, () => {
    const socket = connect({ port, host: '127.0.0.1', highWaterMark: 1_024 });
    socket.on('error', () => {});
    socket.write(`GET /api/v1/bulk/jobs/${id}/results HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\n\r\n`);
    socket.on('data', () => {
      socket.pause();
      setTimeout(() => socket.resume(), 1_000);
    });
    return socket;
  });
}
