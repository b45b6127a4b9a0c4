// The service compared with a bare web framework, and its behavior under load: npm run build, then node bench/serve.mjs
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Agent, FormData } from 'undici';
import { interleave, report } from './measure.mjs';
import { load, singleByPost, singleRequest, startService } from './serve-load.mjs';

const connections = 50;

if (process.argv[2] === 'bare') await serveBare(JSON.parse(process.argv[3]));
else await measure();

/** A route of the bare framework with the same schemas and a prepared answer. */
async function serveBare({ schema, answer }) {
  const fastify = createRequire(new URL('../package.json', import.meta.url))('fastify');
  const app = fastify({ ajv: { customOptions: { coerceTypes: false } } });
  app.post('/api/v1/validation/single', { schema }, async ({ body }) => ({ ...answer, email: body.email }));
  await app.listen({ host: '127.0.0.1', port: 0 });
  process.send(app.server.address().port);
  process.on('disconnect', () => app.close());
}

async function measure() {
  // With its log, as in production.
  const service = await startService('--level', 'syntax');
  const [unlimited, limited] = [await service.makeKey(), await service.makeKey('--credits', '100000000')];
  let bare;
  try {
    bare = fork(fileURLToPath(import.meta.url), ['bare', JSON.stringify(await readRoute(service, unlimited))]);
    const [barePort] = await Promise.race([once(bare, 'message'), once(bare, 'exit')]);
    if (bare.exitCode !== null) throw new Error('The bare framework did not start.');
    await measureRates(service.port, barePort, unlimited, limited);
    await measureWithIdleClients(service, unlimited);
    await measureUploads(service, unlimited);
  } finally {
    bare?.disconnect();
    await service.stop();
  }
}

/** The schemas of the route for a single validation, and one of its answers. */
async function readRoute({ origin }, key) {
  const headers = { 'x-api-key': key };
  const fetched = await (await fetch(`${origin}/openapi.json`, { headers })).json();
  const { requestBody, responses } = fetched.paths['/api/v1/validation/single'].post;
  const schemaOf = ({ content }) => {
    const { schema } = content['application/json'];
    return fetched.components.schemas[schema.$ref?.split('/').at(-1)] ?? schema;
  };
  const path = singleRequest(key).split(' ')[1];
  const answer = await (await fetch(`${origin}${path}`, { headers })).json();
  return { schema: { body: schemaOf(requestBody), response: { 200: schemaOf(responses['200']) } }, answer };
}

async function measureRates(port, barePort, unlimited, limited) {
  const targets = { ours: [port, unlimited], limited: [port, limited], bare: [barePort, unlimited] };
  const contenders = Object.fromEntries(
    Object.entries(targets).map(([name, [targetPort, key]]) => [
      name,
      () => load(targetPort, singleByPost(key), { connections }),
    ]),
  );
  // Warm up the JIT and the WebAssembly of the store.
  await interleave(contenders, 3);
  const results = await interleave(contenders, 5);
  const what = `single validation at syntax level, ${connections} connections`;
  const peer = { bench: 'serve', peer: results.bare, peerName: 'bare fastify route', unit: 'requests/s' };
  report({ ...peer, what, ours: results.ours, ratio: results.ours / results.bare, goal: '>= 0.6' });
  const charged = `${what}, charged`;
  report({ ...peer, what: charged, ours: results.limited, ratio: results.limited / results.bare, goal: 'none' });
}

/** Throughput next to a thousand idle keep-alive clients and a hundred that send their headers slowly. */
async function measureWithIdleClients({ port, megabytes }, key) {
  let connectedClients = 1_000;
  let memory = 0;
  const results = await interleave({
    alone: () => load(port, singleByPost(key), { connections }),
    withIdle: async () => {
      const { close, connected } = await openIdleClients(port);
      const rate = await load(port, singleByPost(key), { connections });
      connectedClients = Math.min(connectedClients, connected());
      memory = Math.max(memory, megabytes());
      close();
      return rate;
    },
  });
  report({
    bench: 'serve',
    what: `next to ${connectedClients} idle and 100 slow clients (${memory} MB)`,
    ours: results.withIdle,
    peer: results.alone,
    peerName: 'alone',
    unit: 'requests/s',
    ratio: results.withIdle / results.alone,
    goal: '>= 0.7',
  });
}

async function openIdleClients(port) {
  const idle = Array.from({ length: 1_000 }, () => connect(port, '127.0.0.1'));
  for (const socket of idle) {
    socket.on('error', () => {});
    socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
  }
  await Promise.all(idle.map((socket) => once(socket, 'data')));
  const slow = Array.from({ length: 100 }, () => connect(port, '127.0.0.1'));
  for (const socket of slow) {
    socket.on('error', () => {});
    socket.write('GET /healthz HTTP/1.1\r\n');
  }
  const drip = setInterval(() => {
    for (const socket of slow) if (socket.writable) socket.write('x: y\r\n');
  }, 500);
  return {
    connected: () => idle.filter((socket) => !socket.destroyed).length,
    close: () => {
      clearInterval(drip);
      for (const socket of [...idle, ...slow]) socket.destroy();
    },
  };
}

/** Peak memory while fifty files of 20 MB are uploaded in parallel. */
async function measureUploads({ origin, megabytes }, key) {
  const before = megabytes();
  const row = 'ada.lovelace@python.org,some other text that makes the row longer\n';
  const file = new Blob(['email,note\n', row.repeat(Math.ceil((20 * 1024 * 1024) / row.length))]);
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, megabytes());
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
  const accepted = answers.filter((status) => status === 200).length;
  report({
    bench: 'serve',
    what: `peak memory during ${accepted} of 50 parallel uploads of 20 MB (${seconds.toFixed(1)} s)`,
    ours: peak,
    peer: before,
    peerName: 'before',
    unit: 'MB',
    ratio: peak / before,
    goal: '<= 4',
  });
}
