// Validation of distinct domains at level dns, in queries per second, compared with bare node:dns.
import { fork } from 'node:child_process';
import { promises } from 'node:dns';
import { once } from 'node:events';
import { createEngine } from '../dist/index.js';
import { interleave, report } from './measure.mjs';

const domains = Number(process.env.DOMAINS ?? 20_000);
const inFlight = 150;
/** An address sends three queries at once, then two. This many addresses keep `inFlight` queries in flight. */
const concurrentAddresses = inFlight / 2.5;
const server = fork(new URL('./dns-server.mjs', import.meta.url));
const [port] = await once(server, 'message');
let runCount = 0;

async function queryCount() {
  server.send('count');
  const [count] = await once(server, 'message');
  return count;
}

/** Queries per second while `work` runs, counted by the server. */
async function queriesPerSecond(work) {
  const before = await queryCount();
  const start = performance.now();
  await work();
  const seconds = (performance.now() - start) / 1_000;
  return ((await queryCount()) - before) / seconds;
}

async function runConcurrently(count, workers, each) {
  let next = 0;
  const worker = async () => {
    while (next < count) await each(next++);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

/** The queries of the engine, without the engine: MX, both addresses of the host, SPF and DMARC. */
async function bareResolver() {
  const resolver = new promises.Resolver();
  resolver.setServers([`127.0.0.1:${port}`]);
  const tag = `bare${runCount++}`;
  return queriesPerSecond(() =>
    runConcurrently(domains * 5, inFlight, async (index) => {
      const name = `d${Math.floor(index / 5)}-${tag}.com`;
      switch (index % 5) {
        case 0:
          return resolver.resolveMx(name);
        case 1:
          return resolver.resolve4(`mx.${name}`);
        case 2:
          return resolver.resolve6(`mx.${name}`).catch(() => []);
        case 3:
          return resolver.resolveTxt(name);
        default:
          return resolver.resolveTxt(`_dmarc.${name}`);
      }
    }),
  );
}

async function validateAll() {
  const tag = `ours${runCount++}`;
  const engine = await createEngine({ level: 'dns', resolvers: [`127.0.0.1:${port}`] });
  let valid = 0;
  const perSecond = await queriesPerSecond(() =>
    runConcurrently(domains, concurrentAddresses, async (index) => {
      const result = await engine.validate(`jane.doe${index}@d${index}-${tag}.com`);
      if (result.status === 'valid') valid++;
    }),
  );
  await engine.close();
  if (valid !== domains) throw new Error(`only ${valid} of ${domains} addresses are valid`);
  return perSecond;
}

const { ours, bare } = await interleave({ ours: validateAll, bare: bareResolver });
report({
  bench: 'dns',
  what: `${domains.toLocaleString('en-US')} distinct domains at DNS level`,
  ours,
  peer: bare,
  peerName: 'node:dns Resolver',
  unit: 'queries/s',
  ratio: ours / bare,
  goal: '>= 0.8',
});
server.disconnect();
