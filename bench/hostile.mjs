// Good addresses behind hostile ones, and the memory that dead hosts take: npm run build, then node bench/hostile.mjs
// All traffic stays on loopback.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createEngine } from '../dist/index.js';
import { median, milliseconds, report } from './measure.mjs';

const good = Array.from({ length: 1_000 }, (_, index) => `ada@own-${index}.com`);
/** For half of the domains no name server answers; for the other half no mail host greets. */
const hostile = Array.from({ length: 216 }, (_, index) => `ada@${index % 2 === 0 ? 'silent' : 'dead'}-${index}.com`);
const deadHosts = 100_000;
const shared = { ehloName: 'probe.example.net', greylistWaitMs: 0, ai: false };

const children = [];
async function start(file, ...args) {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args);
  children.push(child);
  const [port] = await once(child, 'message');
  return port;
}

const resolver = `127.0.0.1:${await start('dns-server.mjs')}`;
const proxy = `socks5://127.0.0.1:${await start('mail-hosts.mjs', '20')}`;

/** Milliseconds until the good addresses are answered, if `earlier` addresses were requested before them. */
async function timeAfter(earlier) {
  const engine = createEngine({ ...shared, resolvers: [resolver], proxy });
  const stop = new AbortController();
  const ask = (email) => engine.validate(email, { signal: stop.signal });
  const others = earlier.map((email) => ask(email).catch(() => null));
  const ms = await milliseconds(async () => {
    const results = await Promise.all(good.map(ask));
    const wrong = results.filter(({ status }) => status !== 'valid');
    if (wrong.length > 0) throw new Error(`${wrong.length} good addresses got another verdict: ${wrong[0].sub_status}`);
  });
  stop.abort();
  await Promise.all(others);
  await engine.close();
  return ms;
}

const times = { alone: [], behind: [] };
for (let round = 0; round < 3; round++) {
  times.alone.push(await timeAfter([]));
  times.behind.push(await timeAfter(hostile));
}
const [alone, behind] = [median(times.alone), median(times.behind)];
report({
  ...{ bench: 'hostile', what: '1,000 good addresses behind 216 hostile ones', unit: 'ms', goal: '≤ 2' },
  ...{ ours: behind, peer: alone, peerName: 'alone', ratio: behind / alone },
});

setFlagsFromString('--expose_gc');
const collectGarbage = runInNewContext('gc');
const heapMb = () => {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1024 / 1024;
};
// Port 1 of loopback is closed, so every host refuses at once.
const engine = createEngine({ ...shared, resolvers: [resolver], allowNetworks: ['127.0.0.0/8'], smtpPort: 1 });
await engine.validate('ada@refused-first.com');
const before = heapMb();
let highest = before;
const listRows = 5_000;
// Several lists, because a list keeps its results in memory until it ends.
for (let first = 0; first < deadHosts; first += listRows) {
  const list = Array.from({ length: listRows }, (_, index) => `ada@refused-${first + index}.com`);
  for await (const _ of engine.validateMany([list]));
  highest = Math.max(highest, heapMb());
}
await engine.close();
report({
  ...{ bench: 'hostile', what: 'heap of 100,000 dead hosts', unit: 'MB', goal: '≤ 1' },
  ...{ ours: highest - before, peer: 80, peerName: 'limit', ratio: (highest - before) / 80 },
});
for (const child of children) child.disconnect();
