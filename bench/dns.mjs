// End-to-end validation at DNS level of distinct domains, in questions a second, beside node:dns asked as fast as it goes.
import { fork } from 'node:child_process';
import { promises } from 'node:dns';
import { once } from 'node:events';
import { createEngine } from '../dist/index.js';
import { interleave, report } from './measure.mjs';

const domains = Number(process.env.DOMAINS ?? 20_000);
const inFlight = 150;
/** Each address asks three questions at once, then two: as many of them keep as many questions in flight. */
const addressesAtOnce = inFlight / 2.5;
const server = fork(new URL('./dns-server.mjs', import.meta.url));
const [port] = await once(server, 'message');
let run = 0;

async function questionsSoFar() {
  server.send('count');
  const [count] = await once(server, 'message');
  return count;
}

/** Questions a second while `work` runs, as the server counts them. */
async function rate(work) {
  const before = await questionsSoFar();
  const start = performance.now();
  await work();
  const seconds = (performance.now() - start) / 1_000;
  return ((await questionsSoFar()) - before) / seconds;
}

async function together(count, workers, each) {
  let next = 0;
  const worker = async () => {
    while (next < count) await each(next++);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

/** The same questions that the engine asks, bare: MX, both addresses of the host, SPF and DMARC. */
async function bareResolver() {
  const resolver = new promises.Resolver();
  resolver.setServers([`127.0.0.1:${port}`]);
  const tag = `bare${run++}`;
  return rate(() =>
    together(domains * 5, inFlight, async (index) => {
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

async function engine() {
  const tag = `ours${run++}`;
  const vetter = await createEngine({ level: 'dns', resolvers: [`127.0.0.1:${port}`] });
  let valid = 0;
  const perSecond = await rate(() =>
    together(domains, addressesAtOnce, async (index) => {
      const result = await vetter.validate(`jane.doe${index}@d${index}-${tag}.com`);
      if (result.status === 'valid') valid++;
    }),
  );
  await vetter.close();
  if (valid !== domains) throw new Error(`only ${valid} of ${domains} addresses came out valid`);
  return perSecond;
}

const { ours, bare } = await interleave({ ours: engine, bare: bareResolver });
report({
  bench: 'dns',
  what: `${domains.toLocaleString('en-US')} distinct domains at DNS level`,
  ours,
  peer: bare,
  peerName: 'node:dns Resolver',
  unit: 'questions/s',
  ratio: ours / bare,
  goal: '>= 0.8',
});
server.disconnect();
