// How much the service costs over a bare web framework, and what it bears: npm run build, then node bench/serve.mjs
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Agent, FormData } from 'undici';
import { interleave, report } from './measure.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const binary = join(root, 'bin/mailvet.js');
const connections = 50;
const roundMs = 2_000;
const good = Buffer.from('200');

if (process.argv[2] === 'bare') await serveBare(JSON.parse(process.argv[3]));
else await measure();

/** A route of the bare framework with the same schemas, which answers with a result made before. */
async function serveBare({ schema, answer }) {
  const fastify = createRequire(join(root, 'package.json'))('fastify');
  const app = fastify({ ajv: { customOptions: { coerceTypes: false } } });
  app.post('/api/v1/validation/single', { schema }, async ({ body }) => ({ ...answer, email: body.email }));
  await app.listen({ host: '127.0.0.1', port: 0 });
  process.send({ origin: `http://127.0.0.1:${app.server.address().port}` });
  process.on('disconnect', () => app.close());
}

async function measure() {
  const home = mkdtempSync(join(tmpdir(), 'mailvet-bench-'));
  const env = { PATH: process.env.PATH, HOME: home, MAILVET_HOME: home, MAILVET_CONFIG_DIR: join(home, 'config') };
  const [free, limited] = [await makeKey(env, []), await makeKey(env, ['--credits', '100000000'])];
  const server = spawn(process.execPath, [binary, 'serve', '--port', '0', '--level', 'syntax', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let bare;
  try {
    const [line] = await once(server.stdout, 'data');
    const { origin } = new URL(JSON.parse(line).url);
    const agent = new Agent({ connections: 1 });
    const headers = { 'x-api-key': free };
    const { body } = await agent.request({ origin, path: '/openapi.json', method: 'GET', headers });
    const described = (await body.json()).paths['/api/v1/validation/single'].post;
    const schema = {
      body: described.requestBody.content['application/json'].schema,
      response: { 200: described.responses['200'].content['application/json'].schema },
    };
    const single = { origin, path: '/api/v1/validation/single?email=ada@python.org', method: 'GET', headers };
    const answer = await (await agent.request(single)).body.json();
    await agent.close();
    bare = fork(fileURLToPath(import.meta.url), ['bare', JSON.stringify({ schema, answer })]);
    const [{ origin: bareOrigin }] = await once(bare, 'message');
    await rates(origin, bareOrigin, free, limited);
    await idle(origin, free, server.pid);
    await uploads(origin, free, server.pid);
  } finally {
    server.kill('SIGTERM');
    bare?.disconnect();
    await once(server, 'exit');
    rmSync(home, { recursive: true, force: true });
  }
}

async function makeKey(env, more) {
  const args = [binary, 'keys', 'create', '--name', 'bench', '--json', ...more];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const chunk of child.stdout) text += chunk;
  return JSON.parse(text).key;
}

async function rates(origin, bareOrigin, free, limited) {
  // Compilers of code and of the store's wasm take their time at first.
  for (let warm = 0; warm < 3; warm++)
    for (const [at, key] of [
      [origin, free],
      [origin, limited],
      [bareOrigin, free],
    ])
      await load(at, key);
  const results = await interleave(
    {
      ours: () => load(origin, free),
      limited: () => load(origin, limited),
      bare: () => load(bareOrigin, free),
    },
    5,
  );
  const what = `single validation at syntax level, ${connections} connections`;
  const peer = { bench: 'serve', peer: results.bare, peerName: 'bare fastify route', unit: 'requests/s' };
  report({ ...peer, what, ours: results.ours, ratio: results.ours / results.bare, goal: '>= 0.6' });
  const counted = `${what}, each charged in the store`;
  report({ ...peer, what: counted, ours: results.limited, ratio: results.limited / results.bare, goal: 'as it comes' });
}

/** Requests answered with 200 in a second. A raw client, since a full one costs more than the server. */
async function load(origin, key) {
  const { port } = new URL(origin);
  const body = JSON.stringify({ email: 'ada@python.org' });
  const request = Buffer.from(
    `POST /api/v1/validation/single HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  let answered = 0;
  let wrong = 0;
  const sockets = Array.from({ length: connections }, () => connect(Number(port), '127.0.0.1'));
  const started = performance.now();
  for (const socket of sockets) {
    // An answer is short enough to come in one piece, and a closing brace ends it.
    socket.on('data', (piece) => {
      if (piece.subarray(9, 12).equals(good) && piece.at(-1) === 0x7d) answered++;
      else wrong++;
      socket.write(request);
    });
    socket.on('error', () => wrong++);
    socket.write(request);
  }
  await new Promise((resolve) => setTimeout(resolve, roundMs));
  const seconds = (performance.now() - started) / 1000;
  for (const socket of sockets) socket.destroy();
  if (wrong > 0) throw new Error(`${wrong} requests failed`);
  return answered / seconds;
}

/** A thousand idle clients that have asked once, and a hundred that drip headers. */
async function idle(origin, key, pid) {
  let alive = 1_000;
  let memory = 0;
  const results = await interleave({
    alone: () => load(origin, key),
    crowded: async () => {
      const { leave, stillThere } = await crowd(origin);
      const rate = await load(origin, key);
      alive = Math.min(alive, stillThere());
      memory = Math.max(memory, memoryOf(pid));
      leave();
      return rate;
    },
  });
  report({
    bench: 'serve',
    what: `beside ${alive} idle and 100 dripping clients (${memory} MB held)`,
    ours: results.crowded,
    peer: results.alone,
    peerName: 'alone',
    unit: 'requests/s',
    ratio: results.crowded / results.alone,
    goal: '>= 0.7',
  });
}

async function crowd(origin) {
  const { port } = new URL(origin);
  const held = Array.from({ length: 1_000 }, () => connect(Number(port), '127.0.0.1'));
  for (const socket of held) {
    socket.on('error', () => {});
    socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
  }
  await Promise.all(held.map((socket) => once(socket, 'data')));
  const slow = Array.from({ length: 100 }, () => connect(Number(port), '127.0.0.1'));
  for (const socket of slow) {
    socket.on('error', () => {});
    socket.write('GET /healthz HTTP/1.1\r\n');
  }
  const drip = setInterval(() => {
    for (const socket of slow) if (socket.writable) socket.write('x: y\r\n');
  }, 500);
  return {
    stillThere: () => held.filter((socket) => !socket.destroyed).length,
    leave: () => {
      clearInterval(drip);
      for (const socket of [...held, ...slow]) socket.destroy();
    },
  };
}

/** Fifty files of 20 MB at the same time. */
async function uploads(origin, key, pid) {
  const before = memoryOf(pid);
  const row = 'ada.lovelace@python.org,some other text that makes the row longer\n';
  const file = new Blob(['email,note\n', row.repeat(Math.ceil((20 * 1024 * 1024) / row.length))]);
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, memoryOf(pid));
  }, 50);
  const agent = new Agent({ connections: 50, headersTimeout: 300_000, bodyTimeout: 300_000 });
  const started = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const body = new FormData();
      body.append('file', file, 'big.csv');
      const path = '/api/v1/bulk/upload/preview';
      const answer = await agent.request({ origin, path, method: 'POST', headers: { 'x-api-key': key }, body });
      await answer.body.dump();
      return answer.statusCode;
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  clearInterval(watch);
  await agent.close();
  const good = answers.filter((status) => status === 200).length;
  report({
    bench: 'serve',
    what: `memory at most during ${good} of 50 parallel uploads of 20 MB (${seconds.toFixed(1)} s)`,
    ours: most,
    peer: before,
    peerName: 'before',
    unit: 'MB',
    ratio: most / before,
    goal: '<= 4',
  });
}

function memoryOf(pid) {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024);
}
