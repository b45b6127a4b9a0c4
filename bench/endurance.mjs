// Memory and throughput of the service under load: npm run build, then node bench/endurance.mjs [memory] [rates]
// Memory under three kinds of load, each on a new server; throughput with credits, next to twenty pollers, and over a minute with 200
// connections compared with bare node:http. ENDURANCE_MS=5000 shortens the minute.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Agent } from 'undici';
import { interleave, report } from './measure.mjs';
import { flood, listOf, load, preview, readSlowly, runJob, singleRequest, startService } from './serve-load.mjs';

const longMs = Number(process.env.ENDURANCE_MS ?? 60_000);
const parts = { memory: measureMemory, rates: measureRates };

if (process.argv[2] === 'bare') await serveBare(process.argv[3]);
else {
  const requested = process.argv.slice(2);
  for (const [name, measure] of Object.entries(parts))
    if (requested.length === 0 || requested.includes(name)) await measure();
}

async function measureMemory() {
  const loads = {
    '400,000 pipelined requests': ({ port, key }) => flood(port, 4, singleRequest(key), 100_000),
    '250 slow downloads of 100,000 rows': async (client) => {
      const id = await runJob(
        client,
        listOf((index) => `u${index}@python.org`),
      );
      const sockets = readSlowly(client, id, 250);
      await new Promise((resolve) => setTimeout(resolve, 10_000));
      for (const socket of sockets) socket.destroy();
    },
    '100 uploads of 10 MB at once': async (client) => {
      const row = 'ada.lovelace@python.org,some other text that makes the row longer\n';
      const file = `email,note\n${row.repeat(Math.ceil((10 * 1024 * 1024) / row.length))}`;
      const answers = await Promise.all(Array.from({ length: 100 }, () => preview(client, file)));
      const refused = answers.find(({ upload_id }) => upload_id === undefined);
      if (refused !== undefined) throw new Error(`rejected: ${JSON.stringify(refused)}`);
    },
  };
  for (const [what, run] of Object.entries(loads)) {
    const service = await startService('-q', '--level', 'syntax');
    const agent = new Agent({ connections: 100, headersTimeout: 300_000, bodyTimeout: 300_000 });
    const { port, origin } = service;
    try {
      const started = performance.now();
      await run({ port, origin, agent, key: await service.makeKey() });
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      const ours = service.peakMegabytes();
      report({
        ...{ bench: 'endurance', what: `peak memory over ${what} (${seconds} s)`, ours, peer: 500 },
        ...{ peerName: 'limit', unit: 'MB', ratio: ours / 500, goal: '<= 1' },
      });
    } finally {
      await agent.destroy();
      await service.stop();
    }
  }
}

async function measureRates() {
  const service = await startService('-q', '--level', 'syntax');
  const { port } = service;
  let bare;
  try {
    const [unlimitedKey, limitedKey] = [await service.makeKey(), await service.makeKey('--credits', '100000000')];
    const [request, chargedRequest] = [singleRequest(unlimitedKey), singleRequest(limitedKey)];
    // Warm up the JIT and the WebAssembly of the store.
    for (const each of [request, chargedRequest, request, chargedRequest]) await load(port, each);
    const rates = await interleave({
      alone: () => load(port, request),
      charged: () => load(port, chargedRequest),
      polled: () => withPollers(20, port, unlimitedKey, () => load(port, request)),
    });
    const peer = {
      bench: 'endurance',
      peer: rates.alone,
      peerName: 'no other load, no credit limit',
      unit: 'requests/s',
    };
    for (const [name, what] of [
      ['charged', 'single validations with credits'],
      ['polled', 'single validations next to twenty pollers of /readyz and jobs'],
    ]) {
      report({ ...peer, what, ours: rates[name], ratio: rates[name] / rates.alone, goal: '>= 0.5' });
    }
    const answer = await (
      await fetch(`${service.origin}/api/v1/validation/single?email=ada@python.org`, {
        headers: { 'x-api-key': unlimitedKey },
      })
    ).text();
    bare = fork(fileURLToPath(import.meta.url), ['bare', answer]);
    const [barePort] = await once(bare, 'message');
    // Thirds of a minute, interleaved, so that other load affects both alike.
    const longLoad = { connections: 200, ms: longMs / 3 };
    const longRates = await interleave(
      { ours: () => load(port, request, longLoad), bare: () => load(barePort, request, longLoad) },
      3,
    );
    report({
      ...{
        bench: 'endurance',
        what: `single validations over ${Math.round(longMs / 1000)} s, 200 connections`,
        ours: longRates.ours,
      },
      ...{
        peer: longRates.bare,
        peerName: 'bare node:http',
        unit: 'requests/s',
        ratio: longRates.ours / longRates.bare,
        goal: '>= 0.5',
      },
    });
  } finally {
    bare?.disconnect();
    await service.stop();
  }
}

/** Runs `work` while pollers request readiness and jobs twenty times a second. */
async function withPollers(pollers, port, key, work) {
  const paths = ['/readyz', '/api/v1/bulk/jobs'];
  const sockets = Array.from({ length: pollers }, (_, index) => {
    const request = `GET ${paths[index % paths.length]} HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\n\r\n`;
    const socket = connect(port, '127.0.0.1');
    socket.on('data', () => setTimeout(() => socket.writable && socket.write(request), 50));
    socket.write(request);
    return socket;
  });
  try {
    return await work();
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/** Answers every request with the same text. */
async function serveBare(text) {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.end(text);
  });
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
  process.on('disconnect', () => process.exit());
}
